import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import { encodeMessage } from "@hardhat-identity/protocol/eip191";
import { portableHashes } from "@hardhat-identity/protocol/hashes";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { readParity } from "@hardhat-identity/protocol/signature";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Curve, isDigest } from "./curve.ts";
import { hashPublicKey } from "./publicKey.ts";

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
