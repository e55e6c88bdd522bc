import { type BoundedAnswer, boundedCalls } from "@hardhat-identity/protocol/chain/boundedCalls";
import { policyCalls } from "@hardhat-identity/protocol/chain/policy";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { dataSlice, id } from "ethers";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { localNetwork } from "../localNetwork.ts";

/** The getters of a policy. */
export const getters = ["provider", "conditions", "cutoffBlock"] as const;
export type Getter = (typeof getters)[number];

/** The answers of code that runs alone, and the state that it reads. */
export interface Reading {
  /** Answers of `provider()`, `conditions()` and `cutoffBlock()`, as the service reads them. */
  readonly answers: readonly BoundedAnswer[];
  /** Getter → what it reads that may differ by time, caller or state: `storage`, `block.timestamp`, … */
  readonly reads: Readonly<Record<Getter, readonly string[]>>;
  /** The answer of `pace()`; `failed` if the contract has none. */
  readonly pace: string;
  /** The getters whose answer differed for another caller in a later block. */
  readonly changing: readonly Getter[];
}

export type Probe = Awaited<ReturnType<typeof openProbe>>;

/** Instruction → what it reads. Others give the same result, or stand before each call: EXTCODESIZE and GAS. */
const reading: Readonly<Record<string, string>> = {
  SLOAD: "storage",
  TLOAD: "transient storage",
  CALLER: "msg.sender",
  ORIGIN: "tx.origin",
  GASPRICE: "tx.gasprice",
  TIMESTAMP: "block.timestamp",
  NUMBER: "block.number",
  BLOCKHASH: "blockhash",
  COINBASE: "block.coinbase",
  PREVRANDAO: "block.prevrandao",
  DIFFICULTY: "block.prevrandao",
  GASLIMIT: "block.gaslimit",
  BASEFEE: "block.basefee",
  BLOBBASEFEE: "block.blobbasefee",
  BLOBHASH: "blobhash",
  BALANCE: "a balance",
  SELFBALANCE: "a balance",
  EXTCODEHASH: "a contract's code",
  EXTCODECOPY: "a contract's code",
};
const calls = ["CALL", "STATICCALL", "DELEGATECALL", "CALLCODE"];

/** OP Stack's L1Block contract, which returns the number of the L1's block. */
export const l1Block = "0x4200000000000000000000000000000000000015";

/** Name of the state that a call of {@link l1Block} reads. */
export const l1Number = "the L1's block";

/** Name of the state that a delegated call reads, as in a proxy. */
export const otherCode = "another contract's code";

const place = dataSlice(id("hardhat-identity lint"), 12);
const callers = ["one caller", "another caller"].map((name) => dataSlice(id(name), 12));
const gas = toQuantity(2_000_000);

/** Opens an in-process chain that runs code. */
export async function openProbe(hre: HardhatRuntimeEnvironment) {
  const override = { forking: { enabled: false, url: "http://127.0.0.1" } };
  const { provider: node, close } = await hre.network.create({ network: localNetwork, override });

  async function read(code: string): Promise<Reading> {
    await node.request({ method: "hardhat_setCode", params: [place, code] });
    const answers = await boundedCalls(node, policyCalls(place));
    const before = await callAll(node, callers[0]);
    await node.request({ method: "evm_increaseTime", params: [1_000_000] });
    await node.request({ method: "evm_mine" });
    const after = await callAll(node, callers[1]);
    const [provider, conditions, cutoffBlock] = await Promise.all(getters.map((each) => trace(node, each)));
    return {
      answers,
      pace: await call(node, callers[0], "pace"),
      reads: { provider: provider ?? [], conditions: conditions ?? [], cutoffBlock: cutoffBlock ?? [] },
      changing: getters.filter((_, i) => before[i] !== after[i]),
    };
  }

  return { read, close };
}

const callOf = (getter: Getter | "pace", from: string | undefined, to: string = place) => ({
  from,
  to,
  gas,
  data: id(`${getter}()`).slice(0, 10),
});

/** Calls the getters as a caller. A failure is an answer, too. */
export async function callAll(node: Eip1193Connection, from: string | undefined, to = place) {
  return Promise.all(getters.map((getter) => call(node, from, getter, to)));
}

async function call(node: Eip1193Connection, from: string | undefined, getter: Getter | "pace", to = place) {
  try {
    return String(await node.request({ method: "eth_call", params: [callOf(getter, from, to), "latest"] }));
  } catch (error) {
    // A revert or a halt is an answer; a failure of the node is none.
    if (readRpcError(error).data === undefined) throw error;
    return "failed";
  }
}

interface Instruction {
  readonly op: string;
  readonly stack?: readonly string[];
}

/** Traces a getter and returns what it reads. */
async function trace(node: Eip1193Connection, getter: Getter): Promise<string[]> {
  const run = async (disableStack: boolean) => {
    const options = { disableStack, disableMemory: true, disableStorage: true };
    const params = [callOf(getter, callers[0]), "latest", options];
    const { structLogs } = (await node.request({ method: "debug_traceCall", params })) as {
      structLogs: Instruction[];
    };
    return structLogs;
  };
  let steps = await run(true);
  // The stack has the targets of calls, but makes the trace large. It is recorded only if there are calls.
  if (steps.some(({ op }) => calls.includes(op))) steps = await run(false);
  return [...new Set(steps.flatMap((step) => readBy(step) ?? []))];
}

function readBy({ op, stack = [] }: Instruction): string | undefined {
  if (!calls.includes(op)) return reading[op];
  // The target is unknown: the storage of a proxy is empty here.
  if (op === "DELEGATECALL" || op === "CALLCODE") return otherCode;
  const target = BigInt(stack.at(-2) ?? 0);
  // A call of itself, whose instructions follow in the trace, or of a precompile, which always answers the same.
  if (target === BigInt(place) || target <= 0x100n) return undefined;
  return target === BigInt(l1Block) ? l1Number : "another contract";
}
