import { readRpcError } from "./rpcError.ts";

// Invalid requests and parameters, by JSON-RPC's codes or by HTTP's, whose body a library may leave out; and nodes' words
// for a block that they do not have. Nimbus says "exception".
const refusals = /^-3260[02]|^400|pending|block|tag|final|pruning|exception/i;

// An unknown method, a limit, and a wallet that waits for its user; limits in words.
const others = /^-32601|^-3200[25]|\brate\b|timed? ?out/i;

/**
 * Whether a node's error may say that it has no pending block, which nodes do in many ways. An error that may pass, such as
 * of a rate limit, says nothing of the kind.
 *
 * @param error The error of a request at `pending` whose other parameters are valid.
 */
export function lacksPendingBlock(error: unknown): boolean {
  const { code, data, isRefusal, status, message } = readRpcError(error);
  const told = `${code ?? status} ${message}`;
  return !isRefusal && data === undefined && !others.test(told) && refusals.test(told);
}

/** Asks a node at `pending`, or at `latest` if it has no pending block. */
export async function atPending<T>(ask: (block: "pending" | "latest") => Promise<T>): Promise<T> {
  try {
    return await ask("pending");
  } catch (error) {
    if (lacksPendingBlock(error)) return ask("latest");
    throw error;
  }
}
