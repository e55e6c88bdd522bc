import { hexToBytes } from "@noble/hashes/utils.js";
import { encodeArray, encodeSequence, encodeString } from "./abiWords.ts";
import { type Condition, type Policy, type PolicyProblem, policyLimits } from "./policy.ts";

/** The return data of a consumer's getters: ABI-encoded, lower-case hex. */
export interface EncodedPolicy {
  /** Return data of `provider()`. */
  readonly provider: string;
  /** Return data of `conditions()`. */
  readonly conditions: string;
}

/** Encodes a policy as a consumer's getters return it. */
export function encodePolicy({ provider, conditions }: Policy): EncodedPolicy {
  const tuples = conditions.map(({ name, op, value }) => encodeSequence([name, op, value].map(encodeString)));
  return {
    provider: `0x${encodeSequence([encodeString(provider)]).hex}`,
    conditions: `0x${encodeSequence([encodeArray(tuples)]).hex}`,
  };
}

/** No canonical encoding of a policy within the limits is longer; bytes. */
export const maxEncodedBytes = 64 + policyLimits.conditions * (4 * 32 + 3 * (32 + policyLimits.stringBytes));

/**
 * Decodes the return data of a consumer's getters. Hostile data costs no more than the largest policy: limits are checked
 * before anything is copied, because strings of an ABI-encoded array may overlap.
 *
 * @param encoded At least the first {@link maxEncodedBytes} bytes of each answer.
 * @param sizes The lengths of the whole answers, in bytes.
 * @returns The policy; its `problem` if it can be decoded but is not accepted; `undefined` if it cannot be decoded.
 */
export function decodePolicy(
  encoded: EncodedPolicy,
  sizes = { provider: byteLength(encoded.provider), conditions: byteLength(encoded.conditions) },
): { policy: Policy } | { problem: string; rule: PolicyProblem["rule"] } | undefined {
  try {
    const provider = new Reader(encoded.provider, sizes.provider).string(0);
    const policy = { provider, conditions: new Reader(encoded.conditions, sizes.conditions).conditions() };
    const again = encodePolicy(policy);
    const canonical = again.provider === encoded.provider && again.conditions === encoded.conditions;
    if (canonical) return { policy };
    return { problem: "The policy is not canonically ABI-encoded.", rule: "policy-not-canonical" };
  } catch (error) {
    if (error instanceof TooLarge) return { problem: error.message, rule: "policy-too-large" };
    if (error instanceof NotDecodable) return undefined;
    throw error;
  }
}

const byteLength = (hex: string) => hex.length / 2 - 1;

class NotDecodable extends Error {}
class TooLarge extends Error {}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads ABI-encoded values in place. Positions are bytes from the start of the answer. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #size: number;

  constructor(bytes: string, size: number) {
    this.#bytes = hexToBytes(bytes.slice(2));
    this.#size = size;
  }

  conditions(): Condition[] {
    const array = this.#number(0);
    const count = this.#number(array);
    const elements = array + 32;
    this.#demand(elements, 32 * count);
    if (count > policyLimits.conditions) {
      throw new TooLarge(
        `The policy has ${count} conditions; at most ${policyLimits.conditions} are served.`,
      );
    }
    return Array.from({ length: count }, (_, i) => {
      const tuple = elements + this.#number(elements + 32 * i);
      return {
        name: this.string(tuple, 0),
        op: this.string(tuple, 32),
        value: this.string(tuple, 64),
      };
    });
  }

  /** The string whose offset from `base` stands at `base + head`. */
  string(base: number, head = 0): string {
    const start = base + this.#number(base + head);
    const length = this.#number(start);
    this.#demand(start + 32, length);
    if (length > policyLimits.stringBytes) {
      throw new TooLarge(
        `The policy has a string of ${length} bytes; at most ${policyLimits.stringBytes} are served.`,
      );
    }
    const utf8 = this.#slice(start + 32, length);
    try {
      return strictUtf8.decode(utf8);
    } catch {
      throw new NotDecodable();
    }
  }

  #number(position: number): number {
    return this.#slice(position, 32).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  #slice(position: number, length: number): Uint8Array {
    this.#demand(position, length);
    if (position + length > this.#bytes.length) {
      throw new TooLarge("The policy is larger than any that is served.");
    }
    return this.#bytes.subarray(position, position + length);
  }

  #demand(position: number, length: number): void {
    if (position + length > this.#size) throw new NotDecodable();
  }
}
