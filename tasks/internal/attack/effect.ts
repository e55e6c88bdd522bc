import { toQuantity } from "ethers";
import { checksumAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Receipt } from "../../../protocol/receipt.ts";

/**
 * What a transaction left behind, as marks that can be compared: `event <contract> <topic>`, `names <contract> <topic>
 * <address>` for an address in an event, `slot <contract> <position>
 * +` or `-` for a value that grew or shrank, `ether <contract> -` for ether that a contract paid, `+` for what it kept.
 */
export type Effect = ReadonlySet<string>;

/** How much of each mark there is: how often an event stands in the log, by how much a value changed. */
export type Amounts = ReadonlyMap<string, bigint>;

interface Instruction {
  readonly op: string;
  readonly depth: number;
  readonly stack: readonly string[];
}

/** Traces a call or a transaction, instruction by instruction. */
export async function traceOf(
  node: Eip1193Connection,
  method: "debug_traceCall" | "debug_traceTransaction",
  ...what: readonly unknown[]
): Promise<readonly Instruction[]> {
  const options = { disableMemory: true, disableStorage: true };
  return Object(await node.request({ method, params: [...what, options] })).structLogs ?? [];
}

/** The receipt of a node, which tells more than a wallet's. */
export interface NodeReceipt extends Receipt {
  /** Absent for a deployment, whose new contract is `contractAddress`. */
  readonly to?: string | null;
  readonly contractAddress?: string | null;
}

/** Reads what a transaction in the latest block left behind, and how much of it. */
export async function readEffect(node: Eip1193Connection, receipt: NodeReceipt): Promise<Amounts> {
  const request = (method: string, ...params: unknown[]) => node.request({ method, params });
  const { transactionHash, logs, to, contractAddress, blockNumber } = receipt;
  const marks = logs.flatMap(readLog);

  const steps = await traceOf(node, "debug_traceTransaction", transactionHash);
  const { written, called } = follow(steps, String(to ?? contractAddress));
  const before = toQuantity(BigInt(blockNumber) - 1n);
  const compare = async (mark: string, method: string, ...params: unknown[]) => {
    const [was, is] = await Promise.all([
      request(method, ...params, before),
      request(method, ...params, blockNumber),
    ]);
    const [old, now] = [BigInt(String(was)), BigInt(String(is))];
    if (old === now) return [];
    return [now > old ? ([`${mark} +`, now - old] as const) : ([`${mark} -`, old - now] as const)];
  };
  const changed = await Promise.all([
    ...[...written].map((place) => compare(`slot ${place}`, "eth_getStorageAt", ...place.split(" "))),
    ...[...called].map((contract) => compare(`ether ${contract}`, "eth_getBalance", contract)),
  ]);
  const amounts = new Map<string, bigint>(changed.flat());
  for (const mark of marks) amounts.set(mark, (amounts.get(mark) ?? 0n) + 1n);
  return amounts;
}

function readLog({ address, topics: [topic = "", ...indexed], data }: Receipt["logs"][number]): string[] {
  const contract = checksumAddress(address);
  const words = [...indexed, ...(data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`)];
  const addresses = words.filter((word) => /^0x0{24}(?!0{12})/.test(word)).map(addressIn);
  return [
    `event ${contract} ${topic}`,
    ...addresses.map((named) => `names ${contract} ${topic} ${checksumAddress(named)}`),
  ];
}

/** The marks that are in both. */
export const shared = (marks: Effect, others: Effect): Set<string> =>
  new Set([...marks].filter((mark) => others.has(mark)));

/** The share of some marks that others have, too: from 0 to 1. */
export function overlap(marks: Effect, others: Effect): number {
  return marks.size === 0 ? 0 : shared(marks, others).size / marks.size;
}

/** Whether there is twice as much of some mark. */
export const isTwice = (marks: Effect, once: Amounts, again: Amounts): boolean =>
  [...marks].some((mark) => (again.get(mark) ?? 0n) >= 2n * (once.get(mark) ?? 0n) && once.has(mark));

/** The marks of one wallet's gains that another wallet's do not have: what belongs to the wallet. */
export const gainsOfOne = (gains: Effect, ofAnother: Effect): Set<string> =>
  new Set([...gains].filter((mark) => !ofAnother.has(mark)));

/** Follows a trace: which slots of which contracts are written, and which contracts run. */
function follow(steps: readonly Instruction[], first: string) {
  const written = new Set<string>();
  const called = new Set([checksumAddress(first)]);
  /** The contract whose storage is at each depth; empty for one under construction. */
  const contexts: string[] = [first];
  let base: number | undefined;
  for (const { op, depth, stack } of steps) {
    base ??= depth;
    contexts.length = depth - base + 1;
    const context = contexts.at(-1) ?? "";
    if (op === "SSTORE" && context !== "") {
      written.add(`${checksumAddress(context)} ${toQuantity(BigInt(stack.at(-1) ?? 0))}`);
    }
    if (op === "CALL" || op === "STATICCALL") {
      const target = addressIn(stack.at(-2));
      contexts.push(target);
      called.add(checksumAddress(target));
    }
    if (op === "DELEGATECALL" || op === "CALLCODE") contexts.push(context);
    if (op === "CREATE" || op === "CREATE2") contexts.push("");
  }
  return { written, called };
}

const addressIn = (word = "0x") => `0x${word.replace(/^0x/, "").padStart(40, "0").slice(-40)}`;
