import { keccakP } from "@noble/hashes/sha3.js";

/** Bytes that Keccak-256 takes in at a time. */
const rate = 136;

/**
 * Hashes bytes with Keccak-256, on a little-endian machine, as all browsers' are. The same as `keccak_256` of
 * @noble/hashes, whose options and checks would be a tenth of the client.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const words = new Uint32Array(50);
  const state = new DataView(words.buffer);
  const padded = new Uint8Array(rate * Math.floor(bytes.length / rate + 1));
  padded.set(bytes);
  padded[bytes.length] = 0x01;
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80;
  padded.forEach((byte, i) => {
    const at = i % rate;
    state.setUint8(at, state.getUint8(at) ^ byte);
    if (at === rate - 1) keccakP(words);
  });
  return new Uint8Array(words.buffer).slice(0, 32);
}
