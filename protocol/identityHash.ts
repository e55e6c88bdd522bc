import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { AbiCoder, getBytes, hexlify } from "ethers";
import type { Hex } from "./hex.ts";

const abi = AbiCoder.defaultAbiCoder();

/**
 * The keyed hash under which an account is stored: `HMAC-SHA-256(accountKey, abi.encode(string provider, string accountId))`.
 *
 * @param input.accountKey The key derived for purpose `account`, 32 bytes.
 * @param input.accountId The provider's own stable id, byte for byte; never a handle.
 * @returns 32 bytes hex.
 */
export function pseudonym(input: { accountKey: Uint8Array; provider: string; accountId: string }): Hex {
  const account = abi.encode(["string", "string"], [input.provider, input.accountId]);
  return hexlify(hmac(sha256, input.accountKey, getBytes(account))) as Hex;
}

/**
 * The identity as one consumer on one chain knows it:
 * `HMAC-SHA-256(identityKey, abi.encode(uint256 chainId, address consumer, bytes32 pseudonym))`.
 * It depends neither on the wallet nor on the conditions.
 *
 * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
 * @param input.pseudonym See {@link pseudonym}; 32 bytes hex.
 * @returns 32 bytes hex.
 */
export function identityHash(input: {
  identityKey: Uint8Array;
  chainId: bigint | number;
  consumer: string;
  pseudonym: string;
}): Hex {
  const identity = abi.encode(
    ["uint256", "address", "bytes32"],
    [input.chainId, input.consumer, input.pseudonym],
  );
  return hexlify(hmac(sha256, input.identityKey, getBytes(identity))) as Hex;
}
