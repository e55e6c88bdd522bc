import { createKeccak } from "hash-wasm";
import secp256k1 from "secp256k1";
import { encodeMessage } from "../../packages/protocol/eip191.ts";

const hasher = await createKeccak(256);

export const keccak = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest("binary");

export const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`;

export const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), "hex");

/** Returns the hash of a text that a wallet signs (EIP-191). */
export const hashMessage = (message: string): Uint8Array => keccak(encodeMessage(message));

const toAddress = (publicKey: Uint8Array) => hex(keccak(publicKey.subarray(1)).subarray(12));

/** Returns the address of a key of 32 bytes, lower case hex. */
export const addressOf = (key: Uint8Array) => toAddress(secp256k1.publicKeyCreate(key, false));

/** Returns r, s and v. Key and digest have 32 bytes. */
export function sign(digest: Uint8Array, key: Uint8Array): Uint8Array {
  const { signature, recid } = secp256k1.ecdsaSign(digest, key);
  return Buffer.concat([signature, Uint8Array.of(27 + recid)]);
}

/** Returns the address whose key signed, lower case hex. @throws Error when the signature is invalid. */
export function recover(digest: Uint8Array, signature: Uint8Array): string {
  const v = signature[64];
  if (signature.length !== 65 || (v !== 27 && v !== 28))
    throw new Error("It is not a signature of 65 bytes.");
  return toAddress(secp256k1.ecdsaRecover(signature.subarray(0, 64), v - 27, digest, false));
}
