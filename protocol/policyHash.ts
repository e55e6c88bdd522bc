import {
  AbiCoder,
  concat,
  dataLength,
  dataSlice,
  getBytes,
  hexlify,
  keccak256,
  toBeHex,
  zeroPadValue,
} from "ethers";
import { type Policy, policyLimits } from "./policy.ts";

const abi = AbiCoder.defaultAbiCoder();
const stringType = ["string"];
const conditionsType = ["tuple(string name, string op, string value)[]"];

/** What a consumer's getters return, as it came from the chain: ABI-encoded, lower-case hex. */
export interface EncodedPolicy {
  /** Return data of `provider()`. */
  readonly provider: string;
  /** Return data of `conditions()`. */
  readonly conditions: string;
}

/** Encodes a policy as a consumer's getters return it. */
export function encodePolicy(policy: Policy): EncodedPolicy {
  return {
    provider: abi.encode(stringType, [policy.provider]),
    conditions: abi.encode(conditionsType, [policy.conditions.map((c) => [c.name, c.op, c.value])]),
  };
}

/**
 * Decodes what a consumer's getters returned.
 *
 * @returns The policy; or the `problem` that it has even though it can be decoded; or `undefined` when it cannot.
 */
export function decodePolicy(encoded: EncodedPolicy): { policy: Policy } | { problem: string } | undefined {
  try {
    const count = BigInt(dataSlice(encoded.conditions, 32, 64));
    // Before decoding: an array whose elements overlap can decode to far more than was sent.
    if (count > policyLimits.conditions && count * 32n <= BigInt(dataLength(encoded.conditions))) {
      return {
        problem: `The policy has ${count} conditions; at most ${policyLimits.conditions} are served.`,
      };
    }
    const [provider] = abi.decode(stringType, encoded.provider);
    const [rows] = abi.decode(conditionsType, encoded.conditions);
    const policy = {
      provider: String(provider),
      conditions: [...rows].map(([name, op, value]) => ({ name, op, value })),
    };
    const again = encodePolicy(policy);
    const canonical = again.provider === encoded.provider && again.conditions === encoded.conditions;
    return canonical ? { policy } : { problem: "The policy is not canonically ABI-encoded." };
  } catch {
    return undefined;
  }
}

/**
 * The hash that binds a verification to one consumer's policy on one chain, as the registry computes it:
 * `keccak256(abi.encode(uint256 chainId, address consumer, string provider, Condition[] conditions))`,
 * from the getters' return data without decoding it.
 */
export function policyHash(input: {
  chainId: bigint | number;
  consumer: string;
  encoded: EncodedPolicy;
}): string {
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
  );
}
