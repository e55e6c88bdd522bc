import { abiReader } from "./abiReader.ts";

/** The outcome of a call. */
export interface BoundedAnswer {
  /** Whether there was code at the target before the call. */
  readonly hasCode: boolean;
  readonly success: boolean;
  /** Whether it failed by using all of its gas, as a halt does and a revert does not. */
  readonly exhausted: boolean;
  /** The length of the answer or of the revert data, in bytes. */
  readonly size: number;
  /** The first of them, hex. */
  readonly data: string;
}

/**
 * Decodes the result of BoundedCalls.sol, `(bool hasCode, bool success, bool exhausted, uint256 size, bytes data)[]`, much
 * faster than a general decoder.
 *
 * @throws Error when it is anything else.
 */
export function decodeAnswers(answer: string): BoundedAnswer[] {
  if (!/^0x(?:[0-9a-fA-F]{64})+$/.test(answer))
    throw new Error("The node's answer is not a sequence of 32-byte ABI words.");

  const { read, number } = abiReader(answer);
  const array = number(0);
  const [count, elements] = [number(array), array + 32];
  // Ends at the end of the answer, however many entries it claims.
  return Array.from({ length: Math.min(count, answer.length) }, (_, index) => {
    const at = elements + number(elements + 32 * index);
    const data = at + number(at + 128);
    return {
      hasCode: number(at) !== 0,
      success: number(at + 32) !== 0,
      exhausted: number(at + 64) !== 0,
      size: number(at + 96),
      data: `0x${read(data + 32, number(data))}`,
    };
  });
}
