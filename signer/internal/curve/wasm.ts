import { randomBytes } from "node:crypto";
// The package's entry point takes five times as long to load.
import { instantiateSecp256k1 } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import type { Secp256k1 } from "./secp256k1.ts";

/** Opens libsecp256k1 as WebAssembly, which runs anywhere. It wipes private keys from its memory after each use. */
export async function openWasm(): Promise<Secp256k1> {
  // Blinds computations with private keys against side-channel attacks.
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
