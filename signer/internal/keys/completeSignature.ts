import { toBeHex } from "ethers";
import type { Recovery } from "../../../chain/signature.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { KeyUnavailableError } from "./keySource.ts";

/** The order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * Converts a plain ECDSA signature of an HSM or a cloud's key service to the form that the registry accepts: with s in
 * the lower half, and with the v that belongs to the signer, found by trial.
 *
 * @param plain 64 bytes, r and s.
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
  const hex = Buffer.from(plain).toString("hex");
  const s = BigInt(`0x${hex.slice(64) || 0}`);
  const lowS = s > order / 2n ? order - s : s;
  if (plain.length === 64 && lowS >= 0n) {
    for (const v of ["1b", "1c"]) {
      const signature: Hex = `0x${hex.slice(0, 64)}${toBeHex(lowS, 32).slice(2)}${v}`;
      if (recover(digest as Hex, signature)?.toLowerCase() === address.toLowerCase()) return signature;
    }
  }
  throw new KeyUnavailableError(`The key's signature is not a signature of ${address}.`);
}
