import { randomBytes } from "node:crypto";
// The package's entry point takes five times as long to load.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import type { Secp256k1 } from "./secp256k1.ts";

/** libsecp256k1 as WebAssembly, which runs anywhere. Private keys are wiped from its memory after each use. */
export async function openWasm(): Promise<Secp256k1> {
  // Blinds what is computed with private keys against whoever measures it from outside.
  const curve = await instantiateSecp256k1(randomBytes(32));
  return {
    recover(signature, parity, digest) {
      const publicKey = curve.recoverPublicKeyUncompressed(signature, parity, digest);
      return typeof publicKey === "string" ? undefined : publicKey;
    },
    sign(digest, privateKey) {
      const signed = curve.signMessageHashRecoverableCompact(privateKey, digest);
      return typeof signed === "string"
        ? undefined
        : { signature: signed.signature, parity: signed.recoveryId };
    },
  };
}
