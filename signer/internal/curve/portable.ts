import { Signature, SigningKey } from "ethers";
import type { Secp256k1 } from "./secp256k1.ts";

/** The curve code that `ethers` brings: plain JavaScript, which runs anywhere, about twenty times as slow as native code. */
export const portable: Secp256k1 = {
  recover(signature, parity, digest) {
    try {
      const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(hexOf) as [string, string];
      const publicKey = SigningKey.recoverPublicKey(digest, Signature.from({ r, s, yParity: parity }));
      return Buffer.from(publicKey.slice(2), "hex");
    } catch {
      return undefined;
    }
  },
  sign(digest, privateKey) {
    try {
      const { r, s, yParity } = new SigningKey(privateKey).sign(digest);
      return { signature: Buffer.from(r.slice(2) + s.slice(2), "hex"), parity: yParity };
    } catch {
      return undefined;
    }
  },
};

const hexOf = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
