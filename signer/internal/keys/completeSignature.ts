import type { Recovery } from "@hardhat-identity/protocol/chain/signature";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { curveOrder } from "@hardhat-identity/protocol/signature";
import { KeyUnavailableError } from "./keySource.ts";

/**
 * Converts a plain ECDSA signature of an HSM or a cloud's key service to the form that the registry accepts: with s in
 * the lower half, and with the v that belongs to the signer, found by trial.
 *
 * @param plain r and s in 64 bytes, with or without a v; or in DER (SEC 1, appendix C.8).
 * @param digest 32 bytes hex.
 * @param address The signer's address, checksummed or not.
 * @returns 65 bytes hex: r, low s, v of 27 or 28.
 * @throws KeyUnavailableError when it is not a signature of the digest by that address.
 */
export function completeSignature(
  plain: Uint8Array,
  digest: string,
  address: string,
  { recover }: Recovery,
): Hex {
  const [r, lowS] = readNumbers(plain);
  const [first, second] = [r, lowS].map((number) => number.toString(16).padStart(64, "0"));
  for (const v of ["1b", "1c"]) {
    const signature: Hex = `0x${first}${second}${v}`;
    if (recover(digest as Hex, signature)?.toLowerCase() === address.toLowerCase()) return signature;
  }
  throw new KeyUnavailableError(`The key's signature is not a signature of ${address}.`);
}

/** Reads r and the low s. Of bytes that are no signature, it reads numbers that sign nothing. */
function readNumbers(bytes: Uint8Array): [r: bigint, lowS: bigint] {
  const isPlain = bytes.length === 64 || bytes.length === 65;
  // DER: 0x30, a length, 0x02, r's length, r, 0x02, s's length, s.
  const start = isPlain ? 0 : 4;
  const end = isPlain ? 32 : start + (bytes[3] ?? 0);
  const [r, s] = [bytes.subarray(start, end), isPlain ? bytes.subarray(32, 64) : bytes.subarray(end + 2)].map(
    (part) => BigInt(`0x${Buffer.from(part).toString("hex") || 0}`),
  ) as [bigint, bigint];
  return [r, s > curveOrder / 2n ? curveOrder - s : s];
}
