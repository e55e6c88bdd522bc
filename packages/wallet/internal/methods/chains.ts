import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { WalletError } from "../../errors.ts";
import { readChainId, readFields, refuse } from "../fields.ts";
import { refuseIfRejected, type WalletState } from "../state.ts";

/** `wallet_switchEthereumChain` (EIP-3326): the wallet is on its node's chain, and has no other. */
export async function switchChain(state: WalletState, params: unknown): Promise<null> {
  const asked = readAsked(params);
  const chainId = await state.node.chainId();
  if (BigInt(asked) === BigInt(chainId)) {
    refuseIfRejected(state);
    return null;
  }
  throw new WalletError("unknownChain", `It is ${describeValue(asked)}; the wallet has ${chainId} alone.`);
}

/** `wallet_addEthereumChain` (EIP-3085): succeeds for the chain that the wallet has. */
export const addChain = switchChain;

function readAsked(params: unknown): string {
  if (!Array.isArray(params) || params.length < 1)
    return refuse("params", "an array with one object", params);
  const { chainId } = readFields(params[0], "params[0]");
  return readChainId(typeof chainId === "string" ? chainId.toLowerCase() : chainId, "chainId");
}
