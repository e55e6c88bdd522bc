import { chmod, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, id, randomBytes, recoverAddress } from "ethers";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import type { Hex } from "../../packages/protocol/hex.ts";
import { KeyUnavailableError } from "../../signer/internal/keys/keySource.ts";
import { openKeySource, privateKeySource } from "../../signer/internal/keys/openKeySource.ts";
import { needSoftHsm, sharedToken, type Token, untilItSigns } from "../fixtures/pkcs11/softHsm.ts";
import { readVectors } from "../fixtures/protocol/vectors.ts";
import { rejection } from "../fixtures/rejection.ts";
import { openTestCurve } from "../fixtures/signer/curves.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

interface Vector {
  readonly name: string;
  readonly digest: Hex;
  readonly signingKey: Hex;
  readonly signer: string;
}

describe("A key on a token", function () {
  this.timeout(180_000);
  let token: Token;

  before(async function () {
    needSoftHsm(this);
    token = await sharedToken();
  });

  async function open(uri: string) {
    const { curve } = await openTestCurve();
    return openKeySource({ kind: "pkcs11", uri }, "IDENTITY_SIGNING_KEY", curve);
  }

  /** A key that no other test has. */
  async function openNew() {
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    return { label, source: await open(token.uri(label)) };
  }

  const refusal = async (label: string, changed: Parameters<Token["uri"]>[1] = {}) => {
    const error = await rejection(open(token.uri(label, changed)));
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).not.to.include(token.pin);
    return error.message;
  };

  it("signs the vectors for the address that the same key has in memory", async () => {
    const { curve } = await openTestCurve();
    for (const { name, digest, signingKey, signer } of readVectors<Vector[]>("verification.json")) {
      await token.importKey(name, signingKey);
      const source = await open(token.uri(name));
      expect(source.address)
        .to.equal(signer)
        .and.equal(privateKeySource(signingKey, curve, "IDENTITY_SIGNING_KEY").address);
      expect(recoverAddress(digest, await source.sign(digest))).to.equal(signer);
    }
  });

  it("signs hundreds of digests at once, each with a low s and the right one of both keys", async () => {
    const { source } = await openNew();
    const digests = Array.from({ length: 400 }, (_, index) => id(`digest ${index}`));
    const finished: number[] = [];
    const sign = (digest: string, index: number) =>
      source.sign(digest).finally(() => {
        finished.push(index);
      });
    const signatures = await Promise.all(digests.map(sign));
    // In turn, except for a thread that the system let wait: the last twenty are, on average, of the last fifty.
    const last = finished.slice(-20);
    expect(last.reduce((sum, index) => sum + index, 0) / last.length, "in turn").to.be.above(350);
    for (const [index, signature] of signatures.entries()) {
      expect(signature).to.match(/^0x[0-9a-f]{128}1[bc]$/);
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= halfOrder).to.equal(true);
      expect(recoverAddress(digests[index] ?? "0x", signature)).to.equal(source.address);
    }
    expect(new Set(signatures.map((signature) => signature.slice(-2)))).to.have.keys("1b", "1c");
  });

  it("is found by its id if several keys have its label", async () => {
    const label = "twins";
    await token.generateKey(label, { id: "0a01" });
    await token.generateKey(label, { id: "0a02" });
    expect(await refusal(label)).to.match(/several private keys "twins".*(0a01, 0a02|0a02, 0a01)\./);
    const [one, two] = [
      await open(token.uri(label, { id: "%0a%01" })),
      await open(token.uri(label, { id: "%0a%02" })),
    ];
    expect(one.address).not.to.equal(two.address);
    for (const { address, sign } of [one, two]) {
      expect(recoverAddress(id("which"), await sign(id("which")))).to.equal(address);
    }
  });

  it("is refused if it is missing, of another curve, or without its public key", async () => {
    expect(await refusal("nobody's")).to.equal(
      `IDENTITY_SIGNING_KEY: There is no private key "nobody's" on the token "${token.label}".`,
    );
    for (const type of ["EC:prime256v1", "rsa:2048"]) {
      await token.generateKey(type, { type });
      expect(await refusal(type)).to.include("not on the curve secp256k1");
    }
    await token.generateKey("half", { id: "0b01" });
    await token.run("--delete-object", "--type", "pubkey", "--label", "half", "--id", "0b01");
    expect(await refusal("half")).to.include("no public key next to the private key");
  });

  it("is refused if its public key belongs to another key", async () => {
    await token.generateKey("mixed", { id: "0c01" });
    await token.generateKey("other", { id: "0c02" });
    const pair = ["--label", "mixed", "--id", "0c01"];
    await token.run("--delete-object", "--type", "pubkey", ...pair);
    await token.run("--set-id", "0c01", "--type", "pubkey", "--label", "other", "--id", "0c02");
    expect(await refusal("mixed")).to.match(/not a signature of 0x/);
  });

  it("is refused if the library or token is unknown, with a list of the tokens", async () => {
    expect(await refusal("signer", { module: "/nowhere/library.so" })).to.match(
      /IDENTITY_SIGNING_KEY: The PKCS#11 library of module-path cannot be loaded.*\/nowhere\/library\.so/,
    );
    const module = createRequire(import.meta.url).resolve("pkcs11js/build/Release/pkcs11.node");
    expect(await refusal("signer", { module })).to.include(
      "The PKCS#11 library of module-path cannot be loaded",
    );
    // No PIN is known of a token that has not been opened.
    for (const pin of ["pin-value=one", "pin-value=another"]) {
      expect(await refusal("signer", { token: "elsewhere", pin })).to.equal(
        `IDENTITY_SIGNING_KEY: The PKCS#11 library has no token "elsewhere" (token); it has "${token.label}".`,
      );
    }
  });

  it("fails while its token is away, and signs again by itself once it is back", async () => {
    const { source } = await openNew();
    await token.takeAway();
    try {
      for (const call of [
        () => source.check(),
        () => source.sign(id("away")),
        () => source.sign(id("away")),
      ]) {
        const error = await rejection(call());
        expect(error).to.be.instanceOf(KeyUnavailableError);
        expect(error.message).to.include(token.label).and.not.include(token.pin);
      }
    } finally {
      await token.putBack();
    }
    await untilItSigns(source);
    await source.check();
    const signatures = await Promise.all([1, 2, 3, 4].map((each) => source.sign(id(`back ${each}`))));
    expect(recoverAddress(id("back 4"), signatures[3] ?? "0x")).to.equal(source.address);
  });

  it("does not try a changed PIN again, as a token locks after a few tries", async () => {
    const [{ source }, { source: another }] = [await openNew(), await openNew()];
    /** Ends every session, and has the library look at the token anew. */
    const lose = async (key: typeof source) => {
      await token.takeAway();
      await rejection(key.check());
      await token.putBack();
    };
    await token.run("--change-pin", "--new-pin", "another pin");
    await lose(source);
    let reason = "";
    while (!reason.includes("CKR_PIN")) {
      await delay(100);
      reason = (await rejection(source.check())).message;
    }
    expect(reason).to.include("CKR_PIN_INCORRECT").and.include("not tried again");
    await token.run("--pin", "another pin", "--change-pin", "--new-pin", token.pin);
    await lose(another);
    await untilItSigns(another);
    expect((await rejection(source.sign(id("again")))).message).to.equal(reason);
  });

  it("has the PIN of the other keys on its token, which a process logs in to once", async () => {
    await openNew();
    expect(await refusal("signer", { pin: "pin-value=another" })).to.equal(
      `IDENTITY_SIGNING_KEY: Another key on the token "${token.label}" has a different PIN here; a token has only one PIN.`,
    );
  });

  it("is refused if others can change its library, which is not loaded", async () => {
    const library = join(await temporaryFolder(), "library.so");
    await writeFile(library, "no library");
    await chmod(library, 0o666);
    const { curve } = await openTestCurve();
    const uri = `pkcs11:token=t;object=o?module-path=${library}&pin-value=3141`;
    const error = await rejection(openKeySource({ kind: "pkcs11", uri }, "IDENTITY_SIGNING_KEY", curve));
    expect(error.message).to.equal(
      `IDENTITY_SIGNING_KEY: The library ${library} is a file that other users can change (mode 0666); set its mode to 0644.`,
    );
  });

  it("is refused if its PIN's file is missing or readable by others", async () => {
    const file = join(await temporaryFolder(), "pin");
    const pin = `pin-source=file:${file}`;
    expect(await refusal("signer", { pin })).to.equal(
      "IDENTITY_SIGNING_KEY: pin-source names a file that cannot be read (ENOENT); set it to the file's path.",
    );
    await writeFile(file, `${token.pin}\n`);
    await chmod(file, 0o604);
    expect(await refusal("signer", { pin })).to.match(
      /^IDENTITY_SIGNING_KEY: pin-source names a file that other users can read/,
    );
    await chmod(file, 0o600);
    const label = hexlify(randomBytes(8));
    await token.generateKey(label);
    expect((await open(token.uri(label, { pin }))).address).to.match(/^0x/);
  });
});
