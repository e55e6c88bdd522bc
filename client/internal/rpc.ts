import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { readRpcError } from "../../protocol/rpcError.ts";
import { IdentityError } from "../identityError.ts";
import { checkChainId } from "./arguments.ts";

// First four bytes of keccak256("VerificationExpired(uint40)").
const verificationExpired = "0x66340904";

/** Sends a request to a node or wallet, and turns a refusal into an {@link IdentityError}. */
export async function callRpc(
  connection: Eip1193Connection,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  // The value of `window.ethereum` in a page without a wallet.
  if (typeof connection?.request !== "function") {
    const message = "There is no connection to ask (EIP-1193): is there a wallet in this browser?";
    throw new IdentityError("INVALID_ARGUMENT", message, { argument: "wallet" });
  }
  try {
    return await connection.request({ method, params });
  } catch (cause) {
    const { code, data, message } = readRpcError(cause);
    const details = { cause, rpcCode: code, revertData: data };
    if (code === 4001) throw new IdentityError("USER_REJECTED", "The user rejected the request.", details);
    if (data?.startsWith(verificationExpired)) {
      throw new IdentityError("VERIFICATION_EXPIRED", "The verification has expired.", details);
    }
    // Nodes answer code 3 if a call would revert.
    const kind = data !== undefined || code === 3 ? "REVERTED" : "RPC_ERROR";
    throw new IdentityError(kind, `${method} was refused: ${message}`, details);
  }
}

/** Checks that the wallet is on the caller's chain, and returns its id as hex. */
export async function checkChain(wallet: Eip1193Connection, chainId: number): Promise<Hex> {
  checkChainId(chainId);
  const selected = Number(await callRpc(wallet, "eth_chainId", []));
  if (selected !== chainId) {
    const message = `The wallet is on chain ${selected}; this needs chain ${chainId}.`;
    throw new IdentityError("WRONG_CHAIN", message);
  }
  return `0x${chainId.toString(16)}`;
}
