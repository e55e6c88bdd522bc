import { execFile } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { expect } from "chai";
import { computeAddress, hexlify, id, randomBytes, recoverAddress } from "ethers";
import type { Curve } from "../../signer/internal/curve/curve.ts";
import type { KeySource } from "../../signer/internal/keys/keySource.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { startProcess } from "../fixtures/process.ts";
import { rejection } from "../fixtures/rejection.ts";
import { openTestCurve } from "../fixtures/signer/curves.ts";
import { needSoftHsm } from "../fixtures/signer/softHsm.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const run = promisify(execFile);
const snippets = readSnippets("docs/keys.md");

/** The guide's one block that has a text. */
function snippetWith(text: string): string {
  const found = snippets.filter((snippet) => snippet.text.includes(text));
  expect(found, text).to.have.length(1);
  return found[0]?.text ?? "";
}

describe("docs/keys.md", function () {
  this.timeout(180_000);

  it("makes a key on a token by its commands, with which a service starts as it is configured there", async function () {
    needSoftHsm(this);
    const folder = await temporaryFolder();
    await mkdir(join(folder, "tokens"));
    await writeFile(join(folder, "softhsm2.conf"), `directories.tokendir = ${join(folder, "tokens")}\n`);
    const pin = hexlify(randomBytes(8));
    await writeFile(join(folder, "pin"), pin, { mode: 0o600 });
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const env = cleanEnvironment({
      SOFTHSM2_CONF: join(folder, "softhsm2.conf"),
      SO_PIN: "12345678",
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
      IDENTITY_PORT: "0",
    });
    for (const text of ["--init-token", "--keypairgen"]) {
      await run("sh", ["-ec", snippetWith(text)], { cwd: folder, env });
    }
    const settings = [...snippetWith("IDENTITY_SIGNING_KEY=pkcs11:").matchAll(/^(\w+)=(.+)$/gm)];
    expect(settings).to.have.length(1);
    const service = startProcess(process.execPath, [join(root, "signer/cli/identity-signer.ts")], {
      cwd: folder,
      env: { ...env, ...Object.fromEntries(settings.map(([, name, value]) => [name, value])) },
    });
    const line = await service.waitFor(/^.*"msg":"listening".*$/m);
    const { key, signer } = JSON.parse(line);
    expect(key).to.equal("pkcs11");
    const tool = ["--module", "/usr/lib/softhsm/libsofthsm2.so", "--token-label", "identity"];
    const read = ["--read-object", "--type", "pubkey", "--label", "signer", "--output-file", "public.der"];
    await run("pkcs11-tool", [...tool, ...read], { cwd: folder, env });
    const der = await readFile(join(folder, "public.der"));
    expect(signer).to.equal(addressOf(createPublicKey({ key: der, format: "der", type: "spki" })));
    expect(service.output()).not.to.include(pin);
    expect(await service.stop("SIGTERM")).to.equal(0);
  });

  it("has a source for a cloud's keys that compiles, and signs with a key of which it sees nothing", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const secret = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
    const signed = { lowS: 0, highS: 0 };
    let away = false;
    const { signMessageHashDER, malleateSignatureDER } = await instantiateSecp256k1();
    /** Every other signature has its s in the upper half. */
    const signDer = (digest: Uint8Array) => {
      const der = signMessageHashDER(secret, digest);
      const isLow = (signed.lowS + signed.highS) % 2 === 0;
      signed[isLow ? "lowS" : "highS"]++;
      return Buffer.from((isLow || typeof der === "string" ? der : malleateSignatureDER(der)) as Uint8Array);
    };
    const kms = await serveHttp(async (request, response) => {
      const isKnown = request.headers.authorization === "Bearer access";
      if (away || !isKnown) return void response.writeHead(away ? 503 : 401).end();
      if (request.url === "/v1/key/publicKey") return void response.end(JSON.stringify({ pem }));
      const { digest } = (await json(request)) as { digest: { sha256: string } };
      const signature = signDer(Buffer.from(digest.sha256, "base64"));
      response.end(JSON.stringify({ signature: signature.toString("base64") }));
    });
    const open = await compileKms();
    const { curve } = await openTestCurve();
    const url = `${kms.url}/v1/key`;
    const source = await open({ url, token: async () => "access" }, curve);
    expect(source.address).to.equal(addressOf(publicKey));
    for (let each = 0; each < 32; each++) {
      const signature = await source.sign(id(`${each}`));
      expect(signature).to.match(/^0x[0-9a-f]{64}[0-7][0-9a-f]{63}1[bc]$/);
      expect(recoverAddress(id(`${each}`), signature)).to.equal(source.address);
    }
    expect(signed).to.deep.equal({ lowS: 16, highS: 16 });
    await source.check();
    expect(signed).to.deep.equal({ lowS: 16, highS: 16 });

    away = true;
    for (const call of [() => source.sign(id("away")), () => source.check()]) {
      const error = await rejection(call());
      expect(error.name).to.equal("KeyUnavailableError");
      expect(error.message).to.include("503");
    }
    away = false;
    await source.sign(id("back"));
    const refused = await rejection(open({ url, token: async () => "hunter2" }, curve));
    expect(refused.message).to.include("401").and.not.include("hunter2");
  });
});

function addressOf(publicKey: KeyObject): string {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return computeAddress(hexlify(Buffer.from(`04${hexOf(x)}${hexOf(y)}`, "hex")));
}

const hexOf = (part: string) => Buffer.from(part, "base64url").toString("hex");

type OpenKms = (options: { url: string; token: () => Promise<string> }, curve: Curve) => Promise<KeySource>;

/** The guide's file, in a copy of the rooms around it, once the compiler has found nothing wrong with it. */
async function compileKms(): Promise<OpenKms> {
  const folder = await temporaryFolder();
  for (const room of ["signer", "chain", "protocol"]) {
    await cp(join(root, room), join(folder, room), { recursive: true });
  }
  for (const name of ["node_modules", "package.json", "artifacts"]) {
    await symlink(join(root, name), join(folder, name));
  }
  const [, path = ""] =
    /`(signer\/\S+Kms\.ts)`/.exec(await readFile(join(root, "docs/keys.md"), "utf8")) ?? [];
  const file = join(folder, path);
  expect(dirname(file)).to.equal(join(folder, "signer/internal/keys"));
  await cp(join(root, "examples/kms/cloudKms.ts"), file);
  const settings = { extends: join(root, "tsconfig.json"), include: [], files: [path] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await run(process.execPath, [tsc, "-p", folder]).catch(({ stdout }) => {
    throw new Error(`The guide's file does not compile:\n${stdout}`);
  });
  return (await import(file)).cloudKmsSource;
}
