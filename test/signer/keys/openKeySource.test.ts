import { scryptSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, scrypt, toBeHex, Wallet } from "ethers";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { openKeySource, privateKeySource } from "../../../signer/internal/keys/openKeySource.ts";
import { countTurns } from "../../fixtures/countTurns.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("A keystore's password file", () => {
  const { address, privateKey } = Wallet.createRandom();

  async function open(password: string | Uint8Array, content: string) {
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
    // A letter and its accent, or a sign for several letters, as another system or keyboard writes them.
    ["Café ﬁn", "Cafe\u0301 \ufb01n"],
    ["Café fin", "Cafe\u0301 fin\n"],
  ] as const) {
    it(`holds ${JSON.stringify(password)} as ${JSON.stringify(content)}`, async () => {
      expect((await open(password, content)).address).to.equal(address);
    });
  }

  it("holds a password that another system writes otherwise, for a keystore of geth, which takes it as it is", async () => {
    const password = "wait\u2026 \u00bd";
    expect((await open(Buffer.from(password), password)).address).to.equal(address);
  });

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
    scrypt.register(async (password, salt, N, r, p, length) =>
      scryptSync(password, salt, length, { N, r, p, maxmem: 2 ** 30 }),
    );
    const ofGeth = { scrypt: { N: 262_144, r: 8, p: 1 } };
    const keystore = await encryptKeystoreJson({ address, privateKey }, "open sesame", ofGeth);
    const turns = await countTurns(async () => {
      expect((await open(keystore, "open sesame")).address).to.equal(address);
    });
    expect(turns).to.be.above(10);
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

describe("A keystore of another program", () => {
  // The examples of the specification of Web3 Secret Storage.
  const example = {
    pbkdf2: {
      cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
      ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: "hmac-sha256",
        salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
      },
      mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    scrypt: {
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdfparams: {
        dklen: 32,
        n: 262144,
        p: 8,
        r: 1,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
  };
  const wallet = "0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b";

  async function open(keystore: object) {
    const folder = await temporaryFolder();
    const [file, passwordFile] = [join(folder, "key.json"), join(folder, "password")];
    await writeFile(file, JSON.stringify(keystore), { mode: 0o600 });
    await writeFile(passwordFile, "testpassword", { mode: 0o600 });
    const { curve } = await openTestCurve();
    return openKeySource({ kind: "keystore", file, passwordFile }, "IDENTITY_SIGNING_KEY", curve);
  }
  const make = (kdf: keyof typeof example, more: object = {}) => ({
    crypto: Object.assign({ cipher: "aes-128-ctr", kdf }, example[kdf]),
    version: 3,
    ...more,
  });

  it("opens with a key derived by PBKDF2, whatever the casing of the keystore's fields", async () => {
    const { crypto, version } = make("pbkdf2");
    for (const keystore of [
      { crypto, version },
      { Crypto: crypto, Version: "3", address: wallet.slice(2) },
    ]) {
      expect((await open(keystore)).address).to.equal(wallet);
    }
  });

  for (const [what, keystore, problem] of [
    [
      "it says another address",
      make("pbkdf2", { address: "11".repeat(20) }),
      "cannot be opened: it holds the key of",
    ],
    ["scrypt does not allow its parameters", make("scrypt"), "RFC 7914"],
    [
      "its cipher is another one",
      { version: 3, crypto: { ...make("pbkdf2").crypto, cipher: "aes-128-cbc" } },
      'the cipher "aes-128-cbc" is not supported',
    ],
    [
      "its derivation is another one",
      { version: 3, crypto: { ...make("pbkdf2").crypto, kdf: "argon2" } },
      'the key derivation function "argon2" is not supported',
    ],
    [
      "it is derived by another hash",
      {
        version: 3,
        crypto: { ...make("pbkdf2").crypto, kdfparams: { ...example.pbkdf2.kdfparams, prf: "hmac-sha1" } },
      },
      'the pseudorandom function "hmac-sha1" is not supported',
    ],
    [
      "its parameters are those of another derivation",
      { version: 3, crypto: { ...make("pbkdf2").crypto, kdfparams: {} } },
      "kdfparams does not fit its key derivation function",
    ],
    [
      "its key is shorter",
      {
        version: 3,
        crypto: { ...make("pbkdf2").crypto, kdfparams: { ...example.pbkdf2.kdfparams, dklen: 16 } },
      },
      "dklen is 16, and only 32 is supported",
    ],
    ["it lacks a part", { version: 3, crypto: {} }, "is not a keystore of Web3 Secret Storage version 3"],
  ] as const) {
    it(`is refused, with the reason, if ${what}`, async () => {
      const error = await rejection(open(keystore));
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include(problem);
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
