import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { readRpcError } from "../../protocol/rpcError.ts";
import { IdentityError, type IdentityErrorDetails } from "../identityError.ts";
import { checkChainId } from "./arguments.ts";

// First four bytes of keccak256("VerificationExpired(uint40)").
const verificationExpired = "0x66340904";
// The same of "PaceExceeded(uint256)", whose argument is unix time in seconds.
const paceExceeded = /^0x41eba3f0([0-9a-f]{64})$/i;

/** Sends a request to a node or wallet, and turns a refusal into an {@link IdentityError}. */
export async function callRpc(
  connection: Eip1193Connection,
  method: string,
  params: readonly unknown[],
  options?: { readonly retryCount: number },
): Promise<unknown> {
  // The value of `window.ethereum` in a page without a wallet.
  if (typeof connection?.request !== "function") {
    const message = "There is no connection to ask (EIP-1193): is there a wallet in this browser?";
    throw new IdentityError("INVALID_ARGUMENT", message, { argument: "wallet" });
  }
  try {
    return await connection.request({ method, params }, options);
  } catch (cause) {
    const { code, isRefusal, data, message } = readRpcError(cause);
    const details = { cause, rpcCode: code, revertData: data };
    if (isRefusal) throw new IdentityError("USER_REJECTED", "The user rejected the request.", details);
    const outcome = untaken.includes(code) ? "was refused" : "failed";
    const sentence = `${method} ${outcome}: ${message}`;
    // Nodes answer code 3 if a call would revert.
    throw data !== undefined || code === 3
      ? reverted(sentence, details)
      : new IdentityError("RPC_ERROR", sentence, details);
  }
}

/**
 * The error for a call that reverts and leaves nothing behind, by its revert data.
 *
 * @param sentence What happened, for a revert without a code of its own.
 */
export function reverted(sentence: string, details: IdentityErrorDetails): IdentityError {
  const { revertData = "" } = details;
  if (revertData.startsWith(verificationExpired)) {
    return new IdentityError("VERIFICATION_EXPIRED", "The verification has expired.", details);
  }
  const [, time] = paceExceeded.exec(revertData) ?? [];
  if (time === undefined) return new IdentityError("REVERTED", sentence, details);
  const message = "The contract has admitted as many people as it allows for now.";
  return new IdentityError("PACE_EXCEEDED", message, { ...details, retryAt: Number(`0x${time}`) });
}

// EIP-1193, EIP-1474 and EIP-5792: what the wallet refused before it took anything. Not among them: timeouts, requests
// that the user can still approve (-32002, 8000), lost connections (4900), and whatever has no code.
const untaken: readonly unknown[] = [
  -32700, -32600, -32601, -32602, -32000, -32003, -32004, -32005, 4100, 4200, 4902, 5700, 5710, 5720, 5740,
  5750, 5760,
];
const taken = /already (?:known|imported|exists)|known transaction|nonce too low/i;

/**
 * Has a wallet send something, once. Unless it is sure that the wallet took nothing, or that nothing remains of it, the
 * error is `OUTCOME_UNKNOWN`.
 *
 * @param options.isAllOrNothing Whether a revert leaves nothing behind.
 * @param options.read Returns `undefined` for an answer of the wrong shape.
 */
export async function sendRpc<T>(
  wallet: Eip1193Connection,
  method: string,
  params: readonly unknown[],
  options: { readonly isAllOrNothing: boolean; readonly read: (answer: unknown) => T | undefined },
): Promise<T> {
  let answer: unknown;
  try {
    answer = await callRpc(wallet, method, params, { retryCount: 0 });
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    const { code, rpcCode, message } = error;
    const isSure =
      code === "RPC_ERROR"
        ? untaken.includes(rpcCode) && !taken.test(message)
        : code === "USER_REJECTED" || options.isAllOrNothing;
    throw isSure ? error : outcomeUnknown(message, error);
  }
  const result = options.read(answer);
  if (result === undefined) throw outcomeUnknown(unreadable(method).message);
  return result;
}

/** The error for an answer that is not one of the method. */
export const unreadable = (method: string) =>
  new IdentityError("INVALID_RESPONSE", `The answer to ${method} cannot be read.`);

/** The error when something was sent, or may have been, and nobody can tell what came of it. */
export function outcomeUnknown(what: string, details: IdentityErrorDetails = {}): IdentityError {
  const sentence = what.replace(/\.?$/, ".");
  const message = `${sentence} It may have taken effect all the same: look before you send it again.`;
  return new IdentityError("OUTCOME_UNKNOWN", message, details);
}

/** Checks that the wallet is on the caller's chain, and returns its id as hex. */
export async function checkChain(wallet: Eip1193Connection, chainId: number): Promise<Hex> {
  checkChainId(chainId);
  const answer = await callRpc(wallet, "eth_chainId", []);
  const selected = Number(answer ?? undefined);
  if (!Number.isSafeInteger(selected)) throw unreadable("eth_chainId");
  if (selected !== chainId) {
    const message = `The wallet is on chain ${selected}; this needs chain ${chainId}.`;
    throw new IdentityError("WRONG_CHAIN", message);
  }
  return `0x${chainId.toString(16)}`;
}
