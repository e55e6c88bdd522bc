import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { readRpcError } from "../../protocol/rpcError.ts";
import { IdentityError } from "../identityError.ts";

// First four bytes of keccak256("VerificationExpired(uint40)").
const verificationExpired = "0x66340904";

/** Asks a node or a wallet, and makes its refusal an {@link IdentityError}. */
export async function callRpc(
  connection: Eip1193Connection,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  try {
    return await connection.request({ method, params });
  } catch (cause) {
    const { code, data, message } = readRpcError(cause);
    const details = { cause, rpcCode: code, revertData: data };
    if (code === 4001) throw new IdentityError("USER_REJECTED", "The user rejected the request.", details);
    if (data?.startsWith(verificationExpired)) {
      throw new IdentityError("VERIFICATION_EXPIRED", "The verification has expired.", details);
    }
    // Code 3 is what nodes answer when a call would revert.
    const kind = data !== undefined || code === 3 ? "REVERTED" : "RPC_ERROR";
    throw new IdentityError(kind, `${method} was refused: ${message}`, details);
  }
}
