import { expect } from "chai";
import {
  computeAddress,
  concat,
  getBytes,
  hashMessage,
  keccak256,
  recoverAddress,
  SigningKey,
  sha256,
  toBeHex,
  toUtf8Bytes,
  Wallet,
} from "ethers";
import fc from "fast-check";
import { isSignedBy } from "../../../packages/protocol/chain/signature.ts";
import { portableHashes } from "../../../packages/protocol/hashes.ts";
import type { Hex } from "../../../packages/protocol/hex.ts";
import type { Curve } from "../../../signer/internal/curve/curve.ts";
import { type FastHashes, openHashes } from "../../../signer/internal/curve/hashes.ts";
import { nativeCurve } from "../../../signer/internal/curve/nativeCurve.ts";
import { portableCurve } from "../../../signer/internal/curve/portableCurve.ts";
import { readVectors } from "../../fixtures/protocol/vectors.ts";
import { skip } from "../../fixtures/skip.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const half = order / 2n;
const notValid = "The digest or the private key is not valid on secp256k1.";
const word = (value: bigint) => toBeHex(value, 32).slice(2);

/** Any 32 bytes, those at the edges of the order among them. */
const scalar = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 2n ** 256n - 1n) },
  fc.constantFrom(0n, 1n, half - 1n, half, half + 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n),
);
const digests = scalar.map((value) => `0x${word(value)}` as Hex);
const privateKeys = fc
  .oneof(fc.bigInt(1n, order - 1n), fc.constantFrom(1n, order - 1n))
  .map((value) => `0x${word(value)}`);

/** The address that ethers recovers, after a check of the signature's form. */
function judge(digest: Hex, signature: string): string | undefined {
  const [, r = "", s = "", v = ""] = /^0x(.{64})(.{64})(..)$/.exec(signature) ?? [];
  if (!/^[0-9a-f]{128}$/i.test(r + s) || !["00", "01", "1b", "1c"].includes(v.toLowerCase()))
    return undefined;
  const [rValue, sValue] = [BigInt(`0x${r}`), BigInt(`0x${s}`)];
  if (rValue === 0n || rValue >= order || sValue === 0n || sValue > half) return undefined;
  try {
    return recoverAddress(digest, signature).toLowerCase();
  } catch {
    return undefined;
  }
}

/** The native code, or a skipped test where this machine has none. */
function needNative(context: Mocha.Context, hashes: FastHashes) {
  try {
    return nativeCurve(hashes);
  } catch {
    return skip(context, "there is no native code for this machine", "linux-x64");
  }
}

for (const name of ["native", "portable"] as const) {
  describe(`The ${name} curve code`, function () {
    this.timeout(60_000);
    let curve: Curve;

    before(async function () {
      curve = name === "native" ? needNative(this, await openHashes()) : portableCurve;
    });

    it("signs the committed verifications as ethers did, and recovers their signers", () => {
      type Vector = { digest: Hex; signingKey: string; signer: string; signature: string };
      for (const { digest, signingKey, signer, signature } of readVectors<Vector[]>("verification.json")) {
        expect(curve.sign(digest, getBytes(signingKey))).to.equal(signature);
        expect(curve.recover(digest, signature)).to.equal(signer.toLowerCase());
      }
    });

    it("makes its nonces as RFC 6979 says", () => {
      type Vector = { name: string; message: string; privateKey: string; rs: string };
      for (const vector of readVectors<Vector[]>("rfc6979.json")) {
        const digest = sha256(toUtf8Bytes(vector.message));
        const signature = curve.sign(digest, getBytes(vector.privateKey));
        expect(signature.slice(0, -2), vector.name).to.equal(vector.rs);
      }
    });

    it("signs any digest as ethers does, also one beyond the order", () => {
      const check = fc.property(digests, privateKeys, (digest, privateKey) => {
        const signature = curve.sign(digest, getBytes(privateKey));
        expect(signature).to.equal(new SigningKey(privateKey).sign(digest).serialized);
        expect(curve.recover(digest, signature)).to.equal(computeAddress(privateKey).toLowerCase());
      });
      fc.assert(check, { numRuns: 60 });
    });

    it("takes a signature with each v that wallets write, in any casing", () => {
      const { signingKey, address } = Wallet.createRandom();
      const digest = keccak256("0x02") as Hex;
      const { r, s, yParity } = signingKey.sign(digest);
      for (const v of yParity === 0 ? ["00", "1b", "1B"] : ["01", "1c", "1C"]) {
        for (const rs of [r + s.slice(2), `0x${(r + s).replaceAll("0x", "").toUpperCase()}`]) {
          expect(curve.recover(digest, rs + v)).to.equal(address.toLowerCase());
        }
      }
    });

    it("recovers what ethers recovers, from canonical signatures only", () => {
      const bytes = fc.constantFrom("00", "01", "02", "1a", "1b", "1c", "1d", "25", "ff");
      const parts = fc.tuple(scalar, scalar, bytes).map(([r, s, v]) => `0x${word(r)}${word(s)}${v}`);
      const mutated = fc
        .tuple(digests, privateKeys, fc.nat(64), fc.integer({ min: 0, max: 255 }))
        .map(([digest, privateKey, at, flip]) => {
          const signature = getBytes(new SigningKey(privateKey).sign(digest).serialized);
          signature[at] = (signature[at] ?? 0) ^ flip;
          return { digest, signature: `0x${Buffer.from(signature).toString("hex")}` };
        });
      const made = fc.tuple(digests, parts).map(([digest, signature]) => ({ digest, signature }));
      let recovered = 0;
      const check = fc.property(fc.oneof(made, mutated), ({ digest, signature }) => {
        const signer = curve.recover(digest, signature);
        expect(signer).to.equal(judge(digest, signature));
        if (signer !== undefined) recovered++;
      });
      fc.assert(check, { numRuns: 300 });
      expect(recovered).to.be.greaterThan(0);
    });

    it("returns no signer, and throws nothing, for known invalid signatures", () => {
      const key = new SigningKey(keccak256("0x03"));
      const digest = keccak256("0x04") as Hex;
      const { r, s, v, yParityAndS, serialized } = key.sign(digest);
      const flipped = v === 27 ? "0x1c" : "0x1b";
      const zero = word(0n);
      for (const [why, signature] of Object.entries({
        "r is 0": concat([`0x${zero}`, s, toBeHex(v)]),
        "s is 0": concat([r, `0x${zero}`, toBeHex(v)]),
        "r is the order": concat([toBeHex(order), s, toBeHex(v)]),
        "s is the order": concat([r, toBeHex(order), toBeHex(v)]),
        "s is high": concat([r, toBeHex(order - BigInt(s), 32), flipped]),
        "v is 2": `${serialized.slice(0, -2)}02`,
        "v is 29": `${serialized.slice(0, -2)}1d`,
        "v is of a transaction": `${serialized.slice(0, -2)}25`,
        "it is compact": concat([r, yParityAndS]),
        "it is too long": `${serialized}00`,
        "it has half a byte more": `${serialized}0`,
        "it has no v": concat([r, s]),
        "it is empty": "0x",
        "it is nothing": "",
        "it has no 0x": serialized.slice(2),
        "it is no hex": `${serialized.slice(0, 40)}zz${serialized.slice(42)}`,
        "it has a line break": `${serialized}\n`,
      })) {
        expect(curve.recover(digest, signature), why).to.equal(undefined);
      }
      for (const wrong of ["0x", "", `${digest}00`, digest.slice(0, -2), `0x${"zz".repeat(32)}`]) {
        expect(curve.recover(wrong as Hex, serialized), wrong).to.equal(undefined);
        expect(() => curve.sign(wrong, getBytes(key.privateKey)), wrong).to.throw(TypeError, notValid);
      }
      expect(curve.recover(digest, serialized)).to.equal(computeAddress(key).toLowerCase());
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => curve.recover(digest, text) === undefined),
      );
    });

    it("refuses an invalid key, and goes on signing", () => {
      const digest = keccak256("0x05");
      const lengths = [0, 31, 33].map((length) => new Uint8Array(length).fill(1));
      const values = [0n, order, order + 1n, 2n ** 256n - 1n].map((value) => getBytes(toBeHex(value, 32)));
      for (const privateKey of [...lengths, ...values]) {
        expect(() => curve.sign(digest, privateKey), `${privateKey}`).to.throw(TypeError, notValid);
      }
      const key = new SigningKey(keccak256("0x06"));
      const bytes = getBytes(key.privateKey);
      expect(curve.sign(digest, bytes)).to.equal(key.sign(digest).serialized);
      expect(bytes).to.deep.equal(getBytes(key.privateKey));
    });

    it("proves a wallet's signature over a message without asking a node", async () => {
      const wallet = Wallet.createRandom();
      const message = "naïve, 世界";
      const node = { request: async () => expect.fail("The node was asked.") };
      const signature = await wallet.signMessage(message);
      const input = { message, signature, wallet: wallet.address };
      expect(await isSignedBy(node, input, curve)).to.equal(true);
    });
  });
}

describe("The service's hash functions", () => {
  let hashes: FastHashes;

  before(async () => {
    hashes = await openHashes();
  });

  const bytes = fc.uint8Array({ maxLength: 40_000 });
  const hexOf = (given: Uint8Array): Hex => `0x${Buffer.from(given).toString("hex")}`;

  it("hash bytes as the portable ones and ethers do", () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const check = fc.property(bytes, key, (given, secret) => {
      const hex = hexOf(given);
      expect(hashes.keccak256(hex)).to.equal(keccak256(hex));
      expect(hashes.keccak256(given)).to.equal(keccak256(hex));
      expect(portableHashes.keccak256(hex)).to.equal(keccak256(hex));
      expect(hashes.hmacSha256(secret)(hex)).to.equal(portableHashes.hmacSha256(secret)(hex));
    });
    fc.assert(check, { numRuns: 40, examples: [[new Uint8Array(0), new Uint8Array(32)]] });
  });

  it("hash messages as ethers does, and refuse text without UTF-8", () => {
    const check = fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (message) => {
      expect(hashes.hashMessage(message)).to.equal(hashMessage(message));
    });
    fc.assert(check, { numRuns: 40, examples: [[""], ["é"], ["😀"]] });
    for (const message of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
      expect(() => hashes.hashMessage(message)).to.throw(
        TypeError,
        "The message has half of a surrogate pair.",
      );
    }
  });

  it("refuse text that is not whole bytes in hex", () => {
    for (const wrong of ["0xzz", "0x0", "0x00zz", ""] as Hex[]) {
      for (const hash of [hashes.keccak256, hashes.hmacSha256(new Uint8Array(32))])
        expect(() => hash(wrong), wrong).to.throw(
          TypeError,
          "The input of the hash is not hex of whole bytes.",
        );
    }
    for (const wrong of ["0xzz", "0x0", "0x00zz"] as Hex[]) {
      expect(() => portableHashes.keccak256(wrong), wrong).to.throw();
    }
  });
});
