import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { curveOrder, readParity } from "@hardhat-identity/protocol/signature";
import { type Curve, isDigest } from "./curve.ts";
import type { FastHashes } from "./hashes.ts";

const require = createRequire(import.meta.url);

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

const order = curveOrder.toString(16);

/** RFC 6979 derives the nonce from the digest modulo the order (section 2.3.4), libsecp256k1 from the digest itself. */
function reduce(digest: string): string {
  if (digest.toLowerCase() < order) return digest;
  return (BigInt(`0x${digest}`) - curveOrder).toString(16).padStart(64, "0");
}
