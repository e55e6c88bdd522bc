import { concat, dataSlice, getBytes, hexlify, keccak256, toBeHex, zeroPadValue } from "ethers";
import type { Hex } from "./hex.ts";
import type { EncodedPolicy } from "./policyEncoding.ts";

/**
 * The hash that binds a verification to one consumer's policy on one chain, as the registry computes it:
 * `keccak256(abi.encode(uint256 chainId, address consumer, string provider, Condition[] conditions))`,
 * from the getters' return data without decoding it.
 */
export function policyHash(input: {
  chainId: bigint | number;
  consumer: string;
  encoded: EncodedPolicy;
}): Hex {
  // A getter returns the offset of its one value, then the value; abi.encode takes the values alone.
  const provider = getBytes(dataSlice(input.encoded.provider, 32));
  const conditions = getBytes(dataSlice(input.encoded.conditions, 32));
  const head = 4 * 32;
  return keccak256(
    concat([
      toBeHex(input.chainId, 32),
      zeroPadValue(input.consumer, 32),
      toBeHex(head, 32),
      toBeHex(head + provider.length, 32),
      hexlify(provider),
      hexlify(conditions),
    ]),
  ) as Hex;
}
