import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type Hex, toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { IdentityError, type IdentityErrorDetails } from "../identityError.ts";
import { checkChainId } from "./arguments.ts";
import { runWithin } from "./runWithin.ts";
import { asViemClient } from "./viem.ts";

// First four bytes of keccak256("VerificationExpired(uint40)").
const verificationExpired = "0x66340904";
// The same of "PaceExceeded(uint256)", whose argument is unix time in seconds.
const paceExceeded = /^0x41eba3f0([0-9a-f]{64})$/i;

/**
 * Sends a request to a node or wallet, and turns a refusal into an {@link IdentityError}.
 *
 * @param options.retryCount For a client of viem, which repeats failed requests. EIP-1193 has one argument, and other
 * connections take a second one for something else.
 */
export async function callRpc(
  connection: Eip1193Connection,
  method: string,
  params: readonly unknown[],
  options?: { readonly retryCount: number },
): Promise<unknown> {
  if (typeof connection?.request !== "function") {
    // `window.ethereum` is undefined in a page without a wallet.
    const message = connection
      ? "The connection has no request(): pass the EIP-1193 provider, not a library's wrapper."
      : "No EIP-1193 connection was passed: is there a wallet in this browser?";
    throw new IdentityError("client_invalid_argument", message, { argument: "wallet" });
  }
  const client = asViemClient(connection);
  return attempt(method, async () =>
    client ? client.request({ method, params }, options) : connection.request({ method, params }),
  );
}

/** Runs something of a node or wallet, and turns its error into an {@link IdentityError} that names the method. */
export async function attempt<T>(method: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const { code, isRefusal, data, message } = readRpcError(cause);
    const details = { cause, rpcCode: code, revertData: data };
    if (isRefusal) throw new IdentityError("client_user_rejected", "The user rejected the request.", details);
    const outcome = wallets.concat(nodes).includes(code) ? "was refused" : "failed";
    const sentence = `${method} ${outcome}: ${message}`;
    // Nodes answer code 3 if a call would revert.
    throw data !== undefined || code === 3
      ? reverted(sentence, details)
      : new IdentityError("client_rpc_error", sentence, details);
  }
}

/**
 * The error for a call that reverts and leaves nothing behind, by its revert data.
 *
 * @param sentence The error's text for a revert without a code of its own.
 */
export function reverted(sentence: string, details: IdentityErrorDetails): IdentityError {
  const { revertData = "" } = details;
  if (revertData.startsWith(verificationExpired)) {
    return new IdentityError("client_verification_expired", "The verification has expired.", details);
  }
  const [, time] = paceExceeded.exec(revertData) ?? [];
  if (time === undefined) return new IdentityError("client_reverted", sentence, details);
  const message = "The contract has admitted as many people as it allows for now.";
  return new IdentityError("client_pace_exceeded", message, { ...details, retryAt: Number(`0x${time}`) });
}

// EIP-1193, EIP-1474, EIP-5792 and WalletConnect (1001, 3001, 5100, 5101, 5201): what the wallet refused before it took
// anything. Not among them: timeouts, requests that the user can still approve (-32002, 8000), lost connections (4900), a
// batch's id that the wallet has taken before (5720), and every error without a code.
const wallets: readonly unknown[] = [
  -32700, -32600, -32601, -32602, -32004, 1001, 3001, 4100, 4200, 4901, 4902, 5100, 5101, 5201, 5700, 5710,
  5740, 5750, 5760,
];
// A node's refusals (-32010 is Nethermind's). In a batch that may be sent in part, an earlier call may have been taken.
const nodes: readonly unknown[] = [-32000, -32003, -32005, -32010];
// By these words, a node has the transaction already, has one with its nonce, or cannot tell.
const taken =
  /already ?(?:known|imported|exists|in)|known transaction|replace|nonce.*(?:too ?low|used)|(?:same|old|lower) ?nonce|timed? ?out|deadline|gateway|connection|\bEOF\b/i;
// A wallet's words for a method or version that it does not have, under a general code: -32000 in the specification of
// `wallet_sendCalls`.
const unknownMethod =
  /version not supported|does not exist ?\/ ?is not|Missing or invalid\. request\(\)|unsupported (?:wc_ )?method|(?:method (?:\w+ )?(?:is )?|wallet_sendCalls.*)not (?:supported|found|implemented)/i;
const otherChain =
  /chain ?id.*(?:match|invalid|wrong|expected)|(?:wrong|different|mismatched) (?:chain|network)|(?:chain|network) mismatch|target chain/i;

/**
 * Has a wallet send something, once. Unless it is sure that the wallet took nothing, or that nothing remains of it, the
 * error is `client_outcome_unknown`.
 *
 * @param options.chainId Where the wallet has changed to another chain and refuses, the error is `client_wrong_chain`.
 * @param options.isAllOrNothing Whether a revert leaves nothing behind.
 * @param options.read Returns `undefined` for an answer of the wrong shape.
 */
export async function sendRpc<T>(
  wallet: Eip1193Connection,
  method: string,
  params: readonly unknown[],
  options: {
    readonly chainId: number;
    readonly isAllOrNothing: boolean;
    readonly read: (answer: unknown) => T | undefined;
  },
): Promise<T> {
  const { chainId, isAllOrNothing, read } = options;
  let answer: unknown;
  let mayHaveLeft = false;
  // No answer of a wallet or a network arrives before this does.
  const timer = setTimeout(() => {
    mayHaveLeft = true;
  });
  try {
    answer = await callRpc(wallet, method, params, { retryCount: 0 });
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    const { message } = error;
    if (!isNothingSent(error, isAllOrNothing, mayHaveLeft)) throw outcomeUnknown(message, error);
    const isMoved = error.code === "client_rpc_error" && (await isOnOtherChain(wallet, chainId, message));
    throw isMoved
      ? new IdentityError("client_wrong_chain", `The wallet is not on chain ${chainId}: ${message}`, error)
      : error;
  } finally {
    clearTimeout(timer);
  }
  const result = read(answer);
  if (result === undefined) throw outcomeUnknown(unreadable(method).message);
  return result;
}

/** Whether the error of a request to send something proves that nothing was sent, or that nothing remains of it. */
function isNothingSent(
  { code, cause }: IdentityError,
  isAllOrNothing: boolean,
  mayHaveLeft: boolean,
): boolean {
  if (code === "client_user_rejected" || code === "client_invalid_argument") return true;
  const { code: rpcCode, isUnsent, isProgramError, message } = readRpcError(cause);
  const isRefused = code === "client_rpc_error";
  if (isRefused && isUnsent) return isAllOrNothing;
  if (taken.test(message)) return false;
  if (!isRefused) return isAllOrNothing;
  if (wallets.includes(rpcCode) || unknownMethod.test(message)) return true;
  return (
    (isProgramError && !mayHaveLeft) ||
    (isAllOrNothing && (nodes.includes(rpcCode) || otherChain.test(message)))
  );
}

/** Whether the wallet refused because it is on another chain now. */
async function isOnOtherChain(wallet: Eip1193Connection, chainId: number, message: string): Promise<boolean> {
  if (otherChain.test(message)) return true;
  // A wallet that refuses for another reason may not answer this either.
  const read = () => readChainId(wallet);
  return (await runWithin(5_000, undefined, read).catch(() => chainId)) !== chainId;
}

/** The error for an answer that is not one of the method. */
export const unreadable = (method: string) =>
  new IdentityError("client_invalid_response", `The answer to ${method} cannot be read.`);

/** The error when something was sent, or may have been, and nobody can tell what came of it. */
export function outcomeUnknown(what: string, details: IdentityErrorDetails = {}): IdentityError {
  const sentence = what.replace(/\.?$/, ".");
  const message = `${sentence} It may still have taken effect: check before you send it again.`;
  return new IdentityError("client_outcome_unknown", message, details);
}

/** Reads the chain that a node or wallet is on. */
export async function readChainId(connection: Eip1193Connection): Promise<number> {
  const answer = await callRpc(connection, "eth_chainId", []);
  const selected = Number(answer ?? undefined);
  if (!Number.isSafeInteger(selected)) throw unreadable("eth_chainId");
  return selected;
}

/** Checks that the wallet is on the caller's chain, and returns its id as hex. */
export async function checkChain(wallet: Eip1193Connection, chainId: number): Promise<Hex> {
  checkChainId(chainId);
  const selected = await readChainId(wallet);
  if (selected !== chainId) {
    const message = `The wallet is on chain ${selected}; this needs chain ${chainId}.`;
    throw new IdentityError("client_wrong_chain", message);
  }
  return toQuantity(chainId);
}

/** Reads something that counts only if the connection is on one chain all the while. */
export async function readOnChain<T>(
  connection: Eip1193Connection,
  chainId: number,
  read: () => Promise<T>,
): Promise<T> {
  await checkChain(connection, chainId);
  const answer = await read();
  await checkChain(connection, chainId);
  return answer;
}
