import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, toBeHex, Wallet } from "ethers";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { useNativeScrypt } from "../../../signer/internal/keys/nativeScrypt.ts";
import { openKeySource, privateKeySource } from "../../../signer/internal/keys/openKeySource.ts";
import { longestGap } from "../../fixtures/longestGap.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("A keystore's password file", () => {
  const { address, privateKey } = Wallet.createRandom();

  async function open(password: string, content: string) {
    const folder = await temporaryFolder();
    const [file, passwordFile] = [join(folder, "key.json"), join(folder, "password")];
    const account = { address, privateKey };
    const keystore = await encryptKeystoreJson(account, password, { scrypt: { N: 2, r: 1, p: 1 } });
    await writeFile(file, keystore, { mode: 0o600 });
    await writeFile(passwordFile, content, { mode: 0o600 });
    const { curve } = await openTestCurve();
    return openKeySource({ kind: "keystore", file, passwordFile }, "IDENTITY_SIGNING_KEY", curve);
  }

  for (const [password, content] of [
    ["open sesame", "open sesame"],
    ["open sesame", "open sesame\n"],
    ["open sesame", "open sesame\r\n"],
    ["open sesame\n", "open sesame\n\n"],
    ["open sesame ", "open sesame \n"],
  ] as const) {
    it(`holds ${JSON.stringify(password)} as ${JSON.stringify(content)}`, async () => {
      expect((await open(password, content)).address).to.equal(address);
    });
  }

  it("loses one line break at its end, and no more", async () => {
    const error = await rejection(open("open sesame", "open sesame\n\n"));
    expect(error).to.be.instanceOf(InvalidInputError);
  });
});

describe("A keystore", () => {
  async function open(keystore: string, password: string) {
    const folder = await temporaryFolder();
    const [file, passwordFile] = [join(folder, "key.json"), join(folder, "password")];
    await writeFile(file, keystore, { mode: 0o600 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    const { curve } = await openTestCurve();
    return openKeySource({ kind: "keystore", file, passwordFile }, "IDENTITY_SIGNING_KEY", curve);
  }

  it("is opened while everything else goes on, with the parameters that geth uses", async () => {
    const { address, privateKey } = Wallet.createRandom();
    // Ethers' own code takes seconds.
    useNativeScrypt();
    const scrypt = { scrypt: { N: 262_144, r: 8, p: 1 } };
    const keystore = await encryptKeystoreJson({ address, privateKey }, "open sesame", scrypt);
    const gap = await longestGap(async () => {
      expect((await open(keystore, "open sesame")).address).to.equal(address);
    });
    expect(gap).to.be.below(300);
  });

  for (const [what, n, r, reason] of [
    ["it needs too much memory", 4_194_304, 8, /.*memory limit exceeded/],
    [
      "scrypt does not allow its parameters, as of old keystores of Python's eth-account",
      262_144,
      1,
      /RFC 7914 does not allow scrypt with n = 262144 and r = 1/,
    ],
  ] as const) {
    it(`is refused, with the reason, if ${what}`, async () => {
      const { address, privateKey } = Wallet.createRandom();
      const scrypt = { scrypt: { N: 2, r, p: 1 } };
      const keystore = await encryptKeystoreJson({ address, privateKey }, "open sesame", scrypt);
      const error = await rejection(open(keystore.replace('"n":2,', `"n":${n},`), "open sesame"));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.match(
        new RegExp(`^The keystore that IDENTITY_SIGNING_KEY names cannot be opened: ${reason.source}\\.$`),
      );
    });
  }
});

describe("A private key", () => {
  it("is refused, and not shown, if it is not on the curve", async () => {
    const { curve } = await openTestCurve();
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    for (const key of [0n, order, 2n ** 256n - 1n].map((value) => toBeHex(value, 32))) {
      expect(() => privateKeySource(key, curve, "IDENTITY_NEXT_SIGNING_KEY"))
        .to.throw(
          InvalidInputError,
          "The signing key is not valid: IDENTITY_NEXT_SIGNING_KEY must be above 0 and below secp256k1's order.",
        )
        .that.does.not.have.property("cause");
    }
    expect(privateKeySource(toBeHex(1, 32), curve, "IDENTITY_SIGNING_KEY").address).to.equal(
      "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    );
  });
});
