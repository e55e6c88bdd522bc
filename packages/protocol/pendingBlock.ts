import { readRpcError } from "./rpcError.ts";

// Invalid requests and parameters, and nodes' words for a block that they do not have. Nimbus says "exception".
const refusals = /^-326(?:00|02) |pending|block|tag|final|pruning|exception/i;

// An unknown method, a limit, and a wallet that waits for its user; limits in words.
const others = /^-32(?:601|005|002) |\brate\b|timed? ?out/i;

/**
 * Whether a node's error may say that it has no pending block, which nodes do in many ways. An error that may pass, such as
 * of a rate limit, says nothing of the kind.
 *
 * @param error The error of a request at `pending` whose other parameters are valid.
 */
export function lacksPendingBlock(error: unknown): boolean {
  const { code, data, isRefusal, status, message } = readRpcError(error);
  const told = `${code} ${message}`;
  if (isRefusal || data !== undefined || others.test(told)) return false;
  // Some nodes refuse with the status 400, whose body a library may leave out.
  return code === undefined ? status === 400 : refusals.test(told);
}
