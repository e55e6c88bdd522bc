import { checksumAddress } from "@hardhat-identity/protocol/address";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { Interface, toBeHex } from "ethers";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { trace } from "./effect.ts";
import type { Call, Stage } from "./stage.ts";

/** Functions of ERC-20 that the attacks use. */
export const erc20 = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
]);

interface Instruction {
  readonly op: string;
  readonly stack: readonly string[];
}

/** Tokens that each wallet of an attack gets, in the token's smallest unit. */
const wealth = 10n ** 30n;

/**
 * Gives a wallet tokens, by writing the slot of its balance: the one that `balanceOf` reads and answers.
 *
 * @returns Whether the token has such a slot.
 */
export async function deal({ node, ask, placesOf }: Stage, token: string, wallet: string): Promise<boolean> {
  const call = { from: wallet, to: token, data: erc20.encodeFunctionData("balanceOf", [wallet]) };
  if (!/^0x[\da-f]{64}$/.test((await ask(call)) ?? "")) return false;
  const own = `${checksumAddress(token)} `;
  for (const place of await placesOf(call)) {
    if (!place.startsWith(own)) continue;
    const slot = toQuantity(BigInt(place.slice(own.length)));
    const request = (method: string, ...params: unknown[]) =>
      node.request({ method, params: [token, slot, ...params] });
    const old = BigInt(String(await request("eth_getStorageAt", "latest")));
    await request("hardhat_setStorageAt", toBeHex(wealth, 32));
    if (BigInt((await ask(call)) ?? "0x0") === wealth) return true;
    await request("hardhat_setStorageAt", toBeHex(old, 32));
  }
  return false;
}

/**
 * Adds the caller to a contract's allowlist: where the contract compares a computed hash with a stored word, such as the
 * root of a Merkle tree, overwrites that word with the hash.
 */
export async function enlist(
  { node, refusalOf }: Stage,
  call: Call & { readonly to: string },
): Promise<void> {
  const { to } = call;
  const { steps, wordAt } = await readSteps(node, call);
  const hashes = new Set(steps.flatMap(({ op }, i) => (op === "KECCAK256" ? [wordAt(i + 1)] : [])));
  const slots = new Map(steps.flatMap(({ op }, i) => (op === "SLOAD" ? [[wordAt(i + 1), wordAt(i)]] : [])));
  const request = (method: string, ...params: unknown[]) => node.request({ method, params });
  for (const [i, { op }] of [...steps.entries()].reverse()) {
    if (!/^(EQ|SUB|XOR)$/.test(op)) continue;
    const words = [wordAt(i), wordAt(i, 2)];
    const hash = words.find((word) => hashes.has(word));
    const word = words.find((each) => each !== hash);
    if (hash === undefined || word === undefined) continue;
    const slot = slots.get(word);
    const code = await readCode(node, to);
    // An immutable is pushed from the code.
    const pushed = `7f${word.slice(2)}`;
    const inSlot = (kept: string) => request("hardhat_setStorageAt", to, toQuantity(BigInt(slot ?? 0)), kept);
    const inCode = (kept: string) =>
      request("hardhat_setCode", to, code.replaceAll(pushed, `7f${kept.slice(2)}`));
    // Zero may stand in both.
    const places = [...(slot === undefined ? [] : [inSlot]), ...(code.includes(pushed) ? [inCode] : [])];
    for (const write of places) {
      await write(hash);
      if ((await refusalOf(call)) === undefined) return;
      await write(word);
    }
  }
}

/** Ether that nothing else is as much as, in wei. */
const odd = 1_234_567_890_123_457n;

/** Reads what a call's ether is compared with, in wei, such as a price times an amount. */
export async function readPrices({ node }: Stage, call: Call): Promise<bigint[]> {
  const { steps, wordAt } = await readSteps(node, { ...call, value: odd });
  return steps.flatMap(({ op }, i) => {
    if (!/^(EQ|SUB|XOR|LT|GT)$/.test(op)) return [];
    const words = [BigInt(wordAt(i)), BigInt(wordAt(i, 2))];
    return words.includes(odd) ? words.filter((word) => word !== odd) : [];
  });
}

async function readSteps(node: Stage["node"], { from, to, data, value = 0n }: Call) {
  const traced = { from, data, value: toQuantity(value), ...(to !== undefined && { to }) };
  const { structLogs = [] } = await trace(node, traced, { disableMemory: true, disableStorage: true });
  const steps: readonly Instruction[] = structLogs;
  const wordAt = (i: number, depth = 1) => toBeHex(BigInt(steps[i]?.stack.at(-depth) ?? 0), 32);
  return { steps, wordAt };
}
