import { existsSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes, SigningKey, Wallet } from "ethers";
import type { KeySource } from "../../../signer/index.ts";
import { giveToAnotherUser } from "../../fixtures/anotherUser.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { toDer } from "../../fixtures/signer/der.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A source's signatures, each in one of the forms that key services return. */
const forms = {
  "65 bytes": (key: SigningKey, digest: string) => key.sign(digest).serialized,
  "r and s": (key: SigningKey, digest: string) => key.sign(digest).serialized.slice(0, 130),
  "r and a high s": (key: SigningKey, digest: string) => {
    const { r, s } = key.sign(digest);
    return `${r}${(order - BigInt(s)).toString(16).padStart(64, "0")}`;
  },
  DER: (key: SigningKey, digest: string) => {
    const { r, s } = key.sign(digest);
    return `0x${toDer(BigInt(r), BigInt(s)).toString("hex")}`;
  },
};

describe("A service whose key source is a module", () => {
  const master = { IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)) };

  async function writeModule(text: string): Promise<string> {
    const file = join(await temporaryFolder(), "kms.mjs");
    await writeFile(file, text);
    return file;
  }

  it("issues verifications that the contract accepts", async () => {
    const wallet = Wallet.createRandom();
    const ethers = import.meta.resolve("ethers");
    const file = await writeModule(`
      import { SigningKey } from ${JSON.stringify(ethers)};
      const key = new SigningKey("${wallet.privateKey}");
      export default async () => ({
        address: "${wallet.address.toLowerCase()}",
        sign: async (digest) => key.sign(digest).serialized.slice(0, 130),
        check: async () => {},
      });`);
    const stack = await startStack({ ...master, IDENTITY_SIGNING_KEY: `module:${file}` });
    expect(stack.service.signer).to.equal(wallet.address);
    const listening = stack.service.log.find((line) => line.includes('"listening"')) ?? "{}";
    expect(JSON.parse(listening)).to.include({ key: "module" });
    await (await stack.registryContract.getFunction("addSigner")(wallet.address)).wait();
    const { consumer, wallet: person, request } = await stack.participate();
    await stack.enroll(consumer, person, (await request()).body);
  });

  it("does not start with a module that opens no key, and names the reason", async () => {
    const { rpcUrl, registry } = await startStack();
    const { address } = Wallet.createRandom();
    const functions = "sign: async () => '0x', check: async () => {}";
    const noSource =
      " must be a key source: an object with the signer's address, and the functions sign and check.";
    const noSignature = `: The key's signature is not a signature of ${address}.`;
    const answers = (signature: string) =>
      `export default { address: "${address}", sign: async () => ${signature}, check() {} };`;
    for (const [text, wanted] of [
      ["export const key = 1;", noSource],
      ["export default null;", noSource],
      ["export default { sign() {}, check() {} };", noSource],
      [`export default { address: "0x12", ${functions} };`, noSource],
      [`export default { address: "${address}", sign() {} };`, noSource],
      [`export default { address: "${address}", check() {} };`, noSource],
      [
        "export default () => { throw new Error('no region is set'); };",
        ": The module <file> opens no key: no region is set",
      ],
      [
        "export default async () => { throw new Error('access denied'); };",
        ": The module <file> opens no key: access denied",
      ],
      ["throw new Error('away');", ": The module <file> cannot be loaded: away"],
      ...["'0x'", "'signature'", "7", "'0x' + 'ff'.repeat(64)", "'0x' + 'ff'.repeat(99)"].map(
        (signature) => [answers(signature), noSignature] as const,
      ),
      [
        answers("{ throw new Error('quota'); }").replace(": async () => {", ": () => {"),
        `: The key of ${address} does not sign: quota`,
      ],
      [answers("Promise.reject('quota')"), `: The key of ${address} does not sign: for no reason`],
    ] as const) {
      const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry, ...master };
      const file = await writeModule(text);
      const error = await rejection(startTestSigner({ ...env, IDENTITY_SIGNING_KEY: `module:${file}` }));
      expect([error.name, error.message.replace(file, "<file>")], text).to.deep.equal([
        "InvalidInputError",
        `IDENTITY_SIGNING_KEY${wanted}`,
      ]);
    }
  });

  /** A file in folder/inner, and how others come to it. Each returns the path to give to the service. */
  const exposures: Record<string, [(file: string) => Promise<string>, RegExp]> = {
    "that others can write": [
      async (file) => {
        await chmod(file, 0o646);
        return file;
      },
      /other users can change \(mode 0646\); set its mode to 0644/,
    ],
    "of another user": [
      async (file) => {
        giveToAnotherUser(file);
        return file;
      },
      /belongs to another user \(uid \d+\), who can change it/,
    ],
    "in a folder that others can write to": [
      async (file) => {
        await chmod(dirname(file), 0o777);
        return file;
      },
      /is in \S+inner, a folder that other users can create files in \(mode 0777\)/,
    ],
    "in a sticky folder": [
      async (file) => {
        await chmod(dirname(file), 0o1777);
        return file;
      },
      /is in \S+inner, a folder that other users can create files in \(mode 1777\)/,
    ],
    "below a folder that others can write to": [
      async (file) => {
        await chmod(dirname(dirname(file)), 0o777);
        return file;
      },
      /is reached through \S+, a folder that other users can create files in \(mode 0777\); let only its owner write to it \(chmod go-w\)/,
    ],
    "behind a link in a folder that others can write to": [
      async (file) => {
        const folder = await temporaryFolder();
        await symlink(file, join(folder, "link.mjs"));
        await chmod(folder, 0o777);
        return join(folder, "link.mjs");
      },
      /is reached through \S+, a folder that other users can create files in \(mode 0777\)/,
    ],
    "behind a link to a folder through one that others can write to": [
      async (file) => {
        const folder = await temporaryFolder();
        await mkdir(join(folder, "open"));
        await symlink(join("open", "..", "open", "on"), join(folder, "way"));
        await symlink(dirname(file), join(folder, "open", "on"));
        await chmod(join(folder, "open"), 0o777);
        return join(folder, "way", basename(file));
      },
      /is reached through \S+open, a folder that other users can create files in \(mode 0777\)/,
    ],
  };

  it("does not start with code or pages from a file that others can change or replace, and runs none of it", async () => {
    const { rpcUrl, registry } = await startStack();
    const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry, ...master };
    const loaded = join(await temporaryFolder(), "loaded");
    const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(loaded)}, ""); export default {};`;
    for (const [name, prefix, text] of [
      ["IDENTITY_SIGNING_KEY", "module:", code],
      ["IDENTITY_CONNECTORS", "", code],
      ["IDENTITY_BRAND", "", '{ "name": "Acme" }'],
    ] as const) {
      for (const [how, [expose, wanted]] of Object.entries(exposures)) {
        const folder = join(await temporaryFolder(), "inner");
        await mkdir(folder, { mode: 0o755 });
        await writeFile(join(folder, "file.mjs"), text, { mode: 0o644 });
        const value = prefix + (await expose(join(folder, "file.mjs")));
        const error = await rejection((async () => startTestSigner({ ...env, [name]: value }))());
        expect(error.message, `${name} ${how}`).to.match(wanted).and.include(name);
        expect(existsSync(loaded), `${name} ${how}`).to.equal(false);
      }
    }
    const folder = await temporaryFolder();
    const [brand, logo] = [join(folder, "brand.json"), join(folder, "logo.svg")];
    await writeFile(brand, '{ "name": "Acme", "logo": "logo.svg" }', { mode: 0o644 });
    await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg" />');
    await chmod(logo, 0o666);
    const error = await rejection((async () => startTestSigner({ ...env, IDENTITY_BRAND: brand }))());
    expect(error.message).to.include(`${logo} is a file that other users can change (mode 0666)`);
  });

  it("starts with a file that others can only read, also behind links of its own and below a sticky folder", async () => {
    const { rpcUrl, registry } = await startStack();
    const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry };
    const [folder, sticky] = [await temporaryFolder(), await temporaryFolder()];
    await chmod(folder, 0o755);
    await chmod(sticky, 0o1777);
    await writeFile(join(folder, "brand.json"), '{ "name": "Acme" }', { mode: 0o644 });
    await symlink("brand.json", join(folder, "link"));
    await symlink(folder, join(sticky, "way"));
    await startTestSigner({ ...env, IDENTITY_BRAND: join(sticky, "way", "link") });
  });

  it("does not start when its module imports a file that others can change, and runs none of it", async () => {
    const { rpcUrl, registry } = await startStack();
    const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry, ...master };
    for (const [statement, name] of [
      ['import "./lib/part.mjs"', "lib/part.mjs"],
      ['await import("./lib/part.mjs")', "lib/part.mjs"],
      ['import "part"', "node_modules/part/index.js"],
      [
        'import { createRequire } from "node:module"; createRequire(import.meta.url)("part")',
        "node_modules/part/index.js",
      ],
    ]) {
      const file = await writeModule(`${statement}; export default {};`);
      const part = join(dirname(file), name ?? "");
      await mkdir(dirname(part), { recursive: true });
      await writeFile(part, "globalThis.ranForeignPart = true;");
      await chmod(part, 0o666);
      const error = await rejection(startTestSigner({ ...env, IDENTITY_SIGNING_KEY: `module:${file}` }));
      expect(error.message, statement)
        .to.include("IDENTITY_SIGNING_KEY: The module")
        .and.include(`${part} is a file that other users can change (mode 0666)`);
      expect(globalThis, statement).not.to.have.property("ranForeignPart");
    }
  });
});

describe("A service whose key source comes from code", () => {
  const key = new SigningKey(hexlify(randomBytes(32)));
  const { address } = new Wallet(key);

  async function start(source: Partial<KeySource>, env: Record<string, string> = {}) {
    const { rpcUrl, registry, registryContract } = await startStack();
    await (await registryContract.getFunction("addSigner")(address)).wait();
    const keySource = { address, check: async () => undefined, ...source } as KeySource;
    return startTestSigner(
      {
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: registry,
        IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
        ...env,
      },
      { keySource },
    );
  }

  for (const [form, write] of Object.entries(forms)) {
    it(`completes signatures in the form ${form}`, async () => {
      let calls = 0;
      const { signer } = await start({
        sign: async (digest) => {
          calls++;
          return write(key, digest) as `0x${string}`;
        },
      });
      expect(signer).to.equal(address);
      expect(calls).to.equal(1);
    });
  }

  it("refuses a signature of another key", async () => {
    const other = Wallet.createRandom().signingKey;
    const error = await rejection(start({ sign: async (digest) => other.sign(digest).serialized as "0x" }));
    expect(error.message).to.equal(
      `startSigner's keySource: The key's signature is not a signature of ${address}.`,
    );
  });

  it("gives up on a key that does not answer", async () => {
    const limit = holdTimers(5_000);
    let asked = false;
    const starting = rejection(
      start({
        sign: () => {
          asked = true;
          return new Promise(() => undefined);
        },
      }),
    );
    while (!asked) await setImmediate();
    limit.end();
    expect((await starting).message).to.equal(
      `startSigner's keySource: The key of ${address} does not sign: no answer in 5 s`,
    );
  });

  it("says in the log why the key could not sign now", async () => {
    const sign = async (digest: string) => key.sign(digest).serialized as "0x";
    const { log } = await start({ sign, check: () => Promise.reject(new Error("the quota is used up")) });
    const line = log.find((text) => text.includes("not ready")) ?? "{}";
    expect(JSON.parse(line)).to.deep.include({
      problem: `The signing key of ${address} is out of reach; the log says why.`,
      reason: `The key of ${address} does not sign: the quota is used up`,
    });
  });

  it("refuses a second key in the environment", async () => {
    const sign = async (digest: string) => key.sign(digest).serialized as "0x";
    const error = await rejection(start({ sign }, { IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)) }));
    expect(error.message).to.equal(
      "startSigner got a keySource, and IDENTITY_SIGNING_KEY is set as well; remove one.",
    );
  });
});
