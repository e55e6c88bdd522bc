import { readRpcError } from "./rpcError.ts";

// Invalid request and invalid params. The callers check all other parameters, so that the node can only mean the tag.
const invalid: readonly unknown[] = [-32600, -32602];

// cspell:ignore coreth unfinalized
// The words of geth, reth, Nimbus, java-tron, IoTeX ("pending"); of coreth, Flare and Parity for a block that they do
// not serve; and of proxies for a tag that they do not know.
const words =
  /\bpending\b|\b(?:unknown|unsupported|invalid|missing) (?:block|tag|header)|\b(?:block|header|tag)\b.*\b(?:not (?:found|available|supported|known)|exceeds)\b|unfinalized|state pruning/i;

// The limits of nodes and of Base's own endpoint; a wallet that waits for its user.
const transient: readonly unknown[] = [-32005, -32016, -32002];

// A request that waits for the user or for its turn is pending, too; so is a transaction.
const others =
  /\b(?:already|still) pending|pending (?:request|transaction|approval|call)|too many|\brate\b|quota|revert|insufficient|nonce|timed? ?out/i;

/**
 * Whether a node's error says that it has no pending block, or does not know the tag `pending`: nodes refuse it in many
 * ways. An error that may pass, such as of a rate limit, says nothing of the kind.
 *
 * @param error The error of a request whose other parameters are valid.
 * @param hasAnswered Whether the node has answered such a request before, so that only words count.
 */
export function lacksPendingBlock(error: unknown, hasAnswered = false): boolean {
  const { code, data, isRefusal, status, text } = readRpcError(error);
  if (isRefusal || data !== undefined || transient.includes(code) || others.test(text)) return false;
  if (words.test(text)) return true;
  if (hasAnswered) return false;
  // Some nodes refuse with the status 400, whose body a library may leave out.
  return code === undefined ? status === 400 || status === 422 : invalid.includes(code);
}
