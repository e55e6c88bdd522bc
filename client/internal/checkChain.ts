import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { Hex } from "../../protocol/hex.ts";
import { IdentityError } from "../identityError.ts";
import { callRpc } from "./callRpc.ts";
import { invalidArgument } from "./invalidArgument.ts";

/** Makes sure that the wallet is on the chain that the caller means, and returns its id as hex. */
export async function checkChain(connection: Eip1193Connection, chainId: number): Promise<Hex> {
  if (!Number.isSafeInteger(chainId) || chainId < 1) {
    throw invalidArgument("chainId", "a positive integer", chainId);
  }
  const selected = Number(await callRpc(connection, "eth_chainId", []));
  if (selected !== chainId) {
    throw new IdentityError(
      "WRONG_CHAIN",
      `The wallet is on chain ${selected}; this needs chain ${chainId}.`,
    );
  }
  return `0x${chainId.toString(16)}`;
}
