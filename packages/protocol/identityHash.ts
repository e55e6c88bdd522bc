import { AbiCoder } from "ethers";
import { addressWord, bytes32Word, uintWord } from "./abiWords.ts";
import { portableHashes } from "./hashes.ts";
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
  return portableHashes.hmacSha256(input.accountKey)(account as Hex);
}

/**
 * The identity hash of an account at one consumer on one chain:
 * `HMAC-SHA-256(identityKey, abi.encode(uint256 chainId, address consumer, bytes32 pseudonym))`.
 * It depends neither on the wallet nor on the conditions.
 *
 * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
 * @param input.pseudonym See {@link pseudonym}; 32 bytes hex.
 * @param keyed HMAC-SHA-256 with that key, for callers that keep it.
 * @returns 32 bytes hex.
 */
export function identityHash(
  input: { identityKey: Uint8Array; chainId: bigint | number; consumer: string; pseudonym: string },
  keyed = portableHashes.hmacSha256(input.identityKey),
): Hex {
  const { chainId, consumer, pseudonym } = input;
  return keyed(`0x${uintWord(chainId)}${addressWord(consumer)}${bytes32Word(pseudonym)}`);
}
