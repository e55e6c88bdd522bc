import { Interface, toBeHex, toQuantity } from "ethers";
import type { Stage } from "./stage.ts";

/** Functions of ERC-20 that the attacks use. */
export const erc20 = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);

/** Tokens that each wallet of an attack gets, in the token's smallest unit. */
const wealth = 10n ** 30n;

interface Instruction {
  readonly op: string;
  readonly stack: readonly string[];
}

/**
 * Gives a wallet tokens, by writing the slot of its balance: the one that `balanceOf` reads and answers.
 *
 * @returns Whether the token has such a slot.
 */
export async function deal({ node, ask }: Stage, token: string, wallet: string): Promise<boolean> {
  const call = { from: wallet, to: token, data: erc20.encodeFunctionData("balanceOf", [wallet]) };
  if (!/^0x[\da-f]{64}$/.test((await ask(call)) ?? "")) return false;
  const options = { disableMemory: true, disableStorage: true };
  const trace = await node.request({ method: "debug_traceCall", params: [call, "latest", options] });
  const steps: Instruction[] = Object(trace).structLogs ?? [];
  const slots = steps.flatMap(({ op, stack }) =>
    op === "SLOAD" ? [toQuantity(BigInt(stack.at(-1) ?? 0))] : [],
  );
  const write = (slot: string, value: string) =>
    node.request({ method: "hardhat_setStorageAt", params: [token, slot, value] });
  for (const slot of new Set(slots.reverse())) {
    const old = String(await node.request({ method: "eth_getStorageAt", params: [token, slot, "latest"] }));
    await write(slot, toBeHex(wealth, 32));
    if (BigInt((await ask(call)) ?? "0x0") === wealth) return true;
    await write(slot, toBeHex(BigInt(old), 32));
  }
  return false;
}
