import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { checkAddress, checkChainId, checkInterval, invalidArgument } from "../internal/arguments.ts";
import { poll } from "../internal/poll.ts";
import { readChainId, readOnChain } from "../internal/rpc.ts";
import { type IdentityLocation, identityPosition } from "./identityPosition.ts";
import { readSlot } from "./readSlot.ts";

/** An identity to watch at a consumer. */
export interface WatchOptions extends IdentityLocation {
  readonly consumer: string;
  /** The consumer's chain; by default the one that the node or wallet is on first. */
  readonly chainId?: number | undefined;
  /** The block to read, `pending` by default; `latest` from then on if the node refuses `pending`. */
  readonly block?: "pending" | "latest" | undefined;
  /** Milliseconds between requests; 200 by default. */
  readonly interval?: number | undefined;
  /** Ends the loop, without an error. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields whether an identity is used at the `pending` block: now, and at each change. A change back to `false` means that
 * the transaction was dropped, or that the node has no pending block any more. While the wallet is on another chain, nothing
 * is yielded.
 *
 * @throws IdentityError `client_invalid_argument` at once, `client_rpc_error` if the node does not know the method,
 * `client_outcome_unknown` if its answer cannot be read.
 * @example
 * ```ts
 * import { watchIdentity } from "@hardhat-identity/client";
 *
 * const states = watchIdentity(window.ethereum, {
 *   consumer: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
 *   identityHash: "0x3fd54831f488a22b28398de0c567a3b064b937f54f81739ae9bd545967f3abab",
 *   signal: AbortSignal.timeout(60_000),
 * });
 * for await (const used of states) {
 *   console.log(used); // false
 *   break; // An app would go on until `used` is true.
 * }
 * ```
 */
export function watchIdentity(
  node: Eip1193Connection,
  options: WatchOptions,
): AsyncGenerator<boolean, void, undefined> {
  const address = checkAddress("consumer", options.consumer);
  const position = identityPosition(options);
  const interval = checkInterval(options.interval ?? 200);
  if (options.chainId !== undefined) checkChainId(options.chainId);
  let block = checkTag(options.block ?? "pending");
  let { chainId } = options;
  let last: boolean | undefined;
  let hasAnswered = false;
  const readUsed = async () => {
    const reading = await readSlot(node, { address, position, block, hasAnswered });
    hasAnswered = true;
    block = reading.block;
    return BigInt(reading.word) !== 0n;
  };
  const read = async () => {
    // Only what is yielded must be of the right chain.
    if ((await readUsed()) === last) return last;
    chainId ??= await readChainId(node);
    last = await readOnChain(node, chainId, readUsed);
    return last;
  };
  return changes(poll(read, { interval, signal: options.signal }));
}

function checkTag(value: unknown): string {
  if (value === "pending" || value === "latest") return value;
  throw invalidArgument("block", "pending or latest", value);
}

async function* changes<T>(values: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  let last: { value: T } | undefined;
  for await (const value of values) {
    if (last?.value === value) continue;
    last = { value };
    yield value;
  }
}
