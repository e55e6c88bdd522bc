import { utf8ToBytes } from "./bytes.ts";

/**
 * The bytes that a wallet hashes with Keccak-256 and signs for a text (EIP-191).
 *
 * @throws TypeError when the text has half of a surrogate pair, which UTF-8 cannot encode.
 */
export function encodeMessage(message: string): Uint8Array {
  const { length } = utf8ToBytes(message);
  if (length !== message.length && /\p{Surrogate}/u.test(message)) {
    throw new TypeError("The message has half of a surrogate pair.");
  }
  return utf8ToBytes(`\x19Ethereum Signed Message:\n${length}${message}`);
}
