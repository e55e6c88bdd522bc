import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Recovery } from "@hardhat-identity/chain/signature";
import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import { encodeMessage } from "@hardhat-identity/protocol/eip191";
import { portableHashes } from "@hardhat-identity/protocol/hashes";
import { type Hex, parseHex } from "@hardhat-identity/protocol/hex";
import { curveOrder, readParity } from "@hardhat-identity/protocol/signature";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import type { FastHashes } from "./hashes.ts";
import { hashPublicKey } from "./publicKey.ts";

const require = createRequire(import.meta.url);

/** Signs and recovers signers on secp256k1. */
export interface Curve extends Recovery {
  /** Machine code, or plain JavaScript, some ten times as slow. */
  readonly name: "native" | "portable";
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

/** Opens native code if this machine has some that works, and portable code otherwise. */
export function openCurve(hashes: FastHashes): Curve {
  try {
    const native = nativeCurve(hashes);
    if (isRight(native)) return native;
  } catch {
    // This machine has none.
  }
  return portableCurve;
}

/**
 * Opens libsecp256k1 as machine code, from the npm package `secp256k1`. Throws if the package has no code for this
 * machine; its own entry point would fall back to `elliptic`.
 */
export function nativeCurve({ hashMessage, keccak256 }: FastHashes): Curve {
  const bindings: typeof import("secp256k1") = require("secp256k1/bindings");
  // Blinds computations with private keys against side-channel attacks.
  bindings.contextRandomize(randomBytes(32));
  return {
    name: "native",
    hashMessage,
    recover(digest, signature) {
      const parity = readParity(signature);
      if (parity === undefined || !isDigest(digest)) return undefined;
      try {
        const rs = Buffer.from(signature.slice(2, 130), "hex");
        const publicKey = bindings.ecdsaRecover(rs, parity, Buffer.from(digest.slice(2), "hex"), false);
        return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
      } catch {
        return undefined;
      }
    },
    sign(digest, privateKey): Hex {
      if (!isDigest(digest) || privateKey.length !== 32 || !bindings.privateKeyVerify(privateKey)) {
        throw new TypeError("The digest or the private key is not valid on secp256k1.");
      }
      const { signature, recid } = bindings.ecdsaSign(
        Buffer.from(reduce(digest.slice(2)), "hex"),
        privateKey,
      );
      return `0x${Buffer.from(signature).toString("hex")}${(27 + recid).toString(16)}`;
    },
  };
}

const isDigest = (text: string) => /^0x[0-9a-fA-F]{64}$/.test(text);

const order = curveOrder.toString(16);

/** RFC 6979 derives the nonce from the digest modulo the order (section 2.3.4), libsecp256k1 from the digest itself. */
function reduce(digest: string): string {
  if (digest.toLowerCase() < order) return digest;
  return (BigInt(`0x${digest}`) - curveOrder).toString(16).padStart(64, "0");
}

// A larger table of multiples, computed when it is first used: a signature takes a fifth less time.
secp256k1.Point.BASE.precompute(8);

export const portableCurve: Curve = {
  name: "portable",
  hashMessage: (message) => portableHashes.keccak256(`0x${bytesToHex(encodeMessage(message))}`),
  recover(digest, signature) {
    const parity = readParity(signature);
    if (parity === undefined || !isDigest(digest)) return undefined;
    try {
      const point = secp256k1.Signature.fromHex(signature.slice(2, 130))
        .addRecoveryBit(parity)
        .recoverPublicKey(parseHex(digest));
      return hashPublicKey(point.toBytes(false));
    } catch {
      return undefined;
    }
  },
  sign(digest, privateKey) {
    if (!isDigest(digest) || !secp256k1.utils.isValidSecretKey(privateKey)) {
      throw new TypeError("The digest or the private key is not valid on secp256k1.");
    }
    const bytes = secp256k1.sign(parseHex(digest), privateKey, {
      prehash: false,
      lowS: true,
      format: "recovered",
    });
    return `0x${bytesToHex(bytes.subarray(1))}${(27 + (bytes[0] ?? 0)).toString(16)}`;
  },
};

/** A signature of the key 1 by RFC 6979, as a self-test: code that is broken on a machine must not judge signatures. */
const known = {
  privateKey: Uint8Array.of(...new Uint8Array(31), 1),
  address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  digest: "0xa0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e",
  signature:
    "0x934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e51c",
} as const;

function isRight(curve: Curve): boolean {
  const { privateKey, address, digest, signature } = known;
  return curve.sign(digest, privateKey) === signature && curve.recover(digest, signature) === address;
}
