import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Secp256k1 } from "./secp256k1.ts";

const require = createRequire(import.meta.url);

/**
 * Opens libsecp256k1 as machine code, from the npm package `secp256k1`. Throws if the package has no code for this
 * machine; its own entry point would fall back to `elliptic`.
 */
export function openNative(): Secp256k1 {
  const bindings: typeof import("secp256k1") = require("secp256k1/bindings");
  // Blinds computations with private keys against side-channel attacks.
  bindings.contextRandomize(randomBytes(32));
  return {
    recover(signature, parity, digest) {
      try {
        return bindings.ecdsaRecover(signature, parity, digest, false);
      } catch {
        return undefined;
      }
    },
    sign(digest, privateKey) {
      if (!bindings.privateKeyVerify(privateKey)) return undefined;
      const { signature, recid } = bindings.ecdsaSign(digest, privateKey);
      return { signature, parity: recid };
    },
  };
}

/** Explains why native code is not used, from an error of {@link openNative} or of the code that it opened. */
export function explainNoNative(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "MODULE_NOT_FOUND") return "the package secp256k1 is not installed";
  const fails = message.startsWith("No native build") ? "has no code for" : "does not work on";
  return `the package secp256k1 ${fails} ${process.platform}-${process.arch}`;
}
