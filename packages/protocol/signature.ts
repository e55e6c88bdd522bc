/** The order of the curve secp256k1. */
export const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The greatest s of a canonical signature, 64 hex digits. */
const halfOrder = (curveOrder / 2n).toString(16);

/** Writes a signature of 64 bytes (EIP-2098), whose highest bit of s is the parity of y, in 65. Others stay as they are. */
export function expandSignature(signature: string): string {
  const [, r, digit = "", rest] = /^0x([0-9a-f]{64})([0-9a-f])([0-9a-f]{63})$/i.exec(signature) ?? [];
  if (r === undefined) return signature;
  const high = Number.parseInt(digit, 16);
  return `0x${r}${high % 8}${rest}${high < 8 ? "1b" : "1c"}`;
}

/**
 * The parity of y of a canonical signature: 65 bytes hex, with a low s and a v of 0, 1, 27 or 28. Other forms of the same
 * signature are not accepted.
 *
 * @returns `undefined` if the signature is not canonical. The ranges of r and s are not checked.
 */
export function readParity(signature: string): 0 | 1 | undefined {
  const [, s = "", v] = /^0x[0-9a-f]{64}([0-9a-f]{64})(00|01|1b|1c)$/i.exec(signature) ?? [];
  // Hex digits of one length compare as the numbers do.
  if (v === undefined || s.toLowerCase() > halfOrder) return undefined;
  return v === "00" || v.toLowerCase() === "1b" ? 0 : 1;
}
