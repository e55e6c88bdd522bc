import type { Recovery } from "../../../chain/signature.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { readParity } from "../../../protocol/signature.ts";
import type { FastHashes } from "./hashes.ts";
import { explainNoNative, openNative } from "./native.ts";
import { portable } from "./portable.ts";
import type { Secp256k1 } from "./secp256k1.ts";

/** The implementation of the curve: machine code, or what `ethers` brings. */
export type CurveName = "native" | "portable";

/** Signs and recovers signers on secp256k1. */
export interface Curve extends Recovery {
  readonly name: CurveName;
  /** Why native code is not available; `undefined` if it is used. */
  readonly noNative: string | undefined;
  /**
   * Signs according to RFC 6979.
   *
   * @param digest 32 bytes hex.
   * @param privateKey 32 bytes, of which no copy is kept.
   * @returns 65 bytes hex: r, low s, v of 27 or 28.
   * @throws TypeError when the digest or the key is not valid.
   */
  sign(digest: string, privateKey: Uint8Array): Hex;
}

/** Opens native code if this machine has some, and portable code otherwise. */
export function openCurve(hashes: FastHashes): Curve {
  try {
    return createCurve("native", openNative(), hashes);
  } catch (error) {
    return createCurve("portable", portable, hashes, explainNoNative(error));
  }
}

/** Creates a curve from an implementation. Throws if the implementation gives wrong answers on this machine. */
export function createCurve(name: CurveName, code: Secp256k1, hashes: FastHashes, noNative?: string): Curve {
  // The code reads these buffers and relies on their lengths.
  const digestBytes = Buffer.alloc(32);
  const signatureBytes = Buffer.alloc(64);
  const curve: Curve = {
    name,
    noNative,
    hashMessage: hashes.hashMessage,
    recover(digest, signature) {
      const parity = readParity(signature);
      if (parity === undefined || !isDigest(digest)) return undefined;
      digestBytes.write(digest.slice(2), "hex");
      signatureBytes.write(signature.slice(2, 130), "hex");
      const publicKey = code.recover(signatureBytes, parity, digestBytes);
      return publicKey && `0x${hashes.keccak256(publicKey.subarray(1)).slice(-40)}`;
    },
    sign(digest, privateKey) {
      if (!isDigest(digest)) throw new TypeError("The digest is not 32 bytes of hex.");
      digestBytes.write(reduce(digest.slice(2)), "hex");
      const signed = privateKey.length === 32 ? code.sign(digestBytes, privateKey) : undefined;
      if (signed === undefined) throw new TypeError("The private key is not valid on secp256k1.");
      return `0x${Buffer.from(signed.signature).toString("hex")}${(27 + signed.parity).toString(16)}`;
    },
  };
  requireRight(curve);
  return curve;
}

const isDigest = (text: string) => /^0x[0-9a-fA-F]{64}$/.test(text);

const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

/** RFC 6979 derives the nonce from the digest modulo the order (section 2.3.4), libsecp256k1 from the digest itself. */
function reduce(digest: string): string {
  if (digest.toLowerCase() < order) return digest;
  return (BigInt(`0x${digest}`) - BigInt(`0x${order}`)).toString(16).padStart(64, "0");
}

/** A signature of the key 1 by RFC 6979, as a self-test: code that is broken on a machine must not judge signatures. */
const known = {
  privateKey: Uint8Array.of(...new Uint8Array(31), 1),
  address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  digest: "0xa0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
  signature:
    "0x934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e51c",
} as const;

function requireRight(curve: Curve): void {
  const { privateKey, address, digest, signature } = known;
  if (curve.sign(digest, privateKey) === signature && curve.recover(digest, signature) === address) return;
  throw new Error(`The ${curve.name} curve code gives wrong answers.`);
}
