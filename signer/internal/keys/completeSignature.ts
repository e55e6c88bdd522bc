import { toBeHex } from "ethers";
import type { Recovery } from "../../../chain/signature.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { KeyUnavailableError } from "./keySource.ts";

/** Of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Makes what the registry takes of a plain ECDSA signature, as an HSM or a cloud's service gives it: s in the lower
 * half, and which of the two possible keys signed, found by trial.
 *
 * @param plain 64 bytes, r and s.
 * @param digest 32 bytes hex.
 * @param address The signer's, checksummed or not.
 * @returns 65 bytes hex: r, low s, v of 27 or 28.
 * @throws KeyUnavailableError when it is no signature of that address over that digest.
 */
export function completeSignature(
  plain: Uint8Array,
  digest: string,
  address: string,
  { recover }: Recovery,
): Hex {
  const hex = Buffer.from(plain).toString("hex");
  const s = BigInt(`0x${hex.slice(64) || 0}`);
  const lowS = s > order / 2n ? order - s : s;
  if (plain.length === 64 && lowS >= 0n) {
    for (const v of ["1b", "1c"]) {
      const signature: Hex = `0x${hex.slice(0, 64)}${toBeHex(lowS, 32).slice(2)}${v}`;
      if (recover(digest as Hex, signature)?.toLowerCase() === address.toLowerCase()) return signature;
    }
  }
  throw new KeyUnavailableError(`What was signed with the key is no signature of ${address}.`);
}
