import { waitForReceipt } from "@hardhat-identity/client";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import type { Receipt } from "@hardhat-identity/protocol/receipt";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { id } from "ethers";
import { mineWaiting } from "hardhat-identity/internal/consumer/mineWaiting";
import { type Frame, type Observed, observe, type Places, readPlaces, trace } from "./effect.ts";

/** A day and thirty days, in seconds. */
export const day = 24 * 3_600;
export const month = 30 * day;

/** Begins to measure computing; answers whether so many seconds are over. */
export function startPatience(seconds: number): () => boolean {
  const began = process.cpuUsage();
  return () => process.cpuUsage(began).user > seconds * 1e6;
}

/** Measures computing that is spent in several runs; answers whether they have taken so many seconds. */
export function startBudget(seconds: number) {
  let spent = 0;
  return {
    isSpent: () => spent > seconds * 1e6,
    async spend<T>(run: () => Promise<T>): Promise<T> {
      const began = process.cpuUsage();
      try {
        return await run();
      } finally {
        spent += process.cpuUsage(began).user;
      }
    },
  };
}

/** A transaction to send, or a call to simulate. */
export interface Call {
  readonly from: string;
  /** Absent to deploy. */
  readonly to?: string | undefined;
  readonly data: string;
  /** Wei. */
  readonly value?: bigint | undefined;
  /** The limit of gas. */
  readonly gas?: bigint | undefined;
}

/** A transaction that succeeded, or would. */
export interface Done extends Observed {
  /** Empty if it was only simulated. */
  readonly hash: string;
  /** The rounds in which it counted an identity, by the event of `VerifyOnce`. */
  readonly rounds: readonly string[];
}

/** Takes two transactions of one claim together. */
export function mergeDone(one: Done, next: Done): Done {
  const amounts = new Map(one.amounts);
  for (const [mark, amount] of next.amounts) amounts.set(mark, (amounts.get(mark) ?? 0n) + amount);
  return {
    ...next,
    gasUsed: one.gasUsed + next.gasUsed,
    amounts,
    effect: new Set(amounts.keys()),
    logs: [...one.logs, ...next.logs],
    called: new Set([...one.called, ...next.called]),
    inputs: [...one.inputs, ...next.inputs],
    made: [...one.made, ...next.made],
    changed: new Set([...one.changed, ...next.changed]),
    rounds: [...one.rounds, ...next.rounds],
  };
}

/** The outcome of a transaction: success, or a revert with this data. */
export type Outcome =
  | { readonly done: Done }
  | { readonly revert: string; readonly said?: string | undefined };

/** A local chain, on which anybody can be impersonated and everything be taken back. */
export interface Stage {
  readonly node: Eip1193Connection;
  send(call: Call): Promise<Outcome>;
  /** Impersonates an account and gives it ether. */
  act(account: string): Promise<void>;
  /** Observes a transaction that was sent. */
  observe(hash: string): Promise<Outcome>;
  /** Sends a transaction for its gas alone; answers `undefined` if it reverted. */
  spend(call: Call): Promise<{ readonly hash: string; readonly gas: bigint } | undefined>;
  /** Simulates a call, and returns the effects that a transaction would have. */
  simulate(call: Call): Promise<Outcome>;
  /** Simulates a call, and tells on what parts of the state it depends. */
  placesOf(call: Call): Promise<Places>;
  /** Simulates a call; answers `undefined` for a revert. */
  ask(call: Call): Promise<string | undefined>;
  /** Runs something and takes it back. */
  undone<T>(run: () => Promise<T>): Promise<T>;
  pass(seconds: number, blocks?: number): Promise<void>;
  /** The time of the latest block, in unix seconds. */
  time(): Promise<number>;
  /** Gives ether to an account: so many wei that it can pay for everything, unless told otherwise. */
  fund(account: string, wei?: bigint): Promise<void>;
  /** Impersonates nobody any longer. */
  leave(): Promise<void>;
}

/** Gas of each transaction: less than EIP-7825 allows, and more than a claim needs. */
export const gasLimit = 15_000_000n;
/** Ether that each account of the attacks has at least, in wei. */
export const wealth = 10n ** 24n;

/** The event of `VerifyOnce`. */
export const identityUsed = id("IdentityUsed(bytes32,bytes32)");

/**
 * Opens a local chain for attacks.
 *
 * @throws InvalidInputError if it is not a local node.
 */
export async function openStage(node: Eip1193Connection): Promise<Stage> {
  if (!(await isLocalNode(node))) {
    throw new InvalidInputError(
      "Attacks change the chain, so they need a local node; fork this chain: forking: { url } in the network's configuration.",
    );
  }
  const request = (method: string, ...params: unknown[]) => node.request({ method, params });
  const impersonated = new Set<string>();

  async function fund(account: string, wei = wealth): Promise<void> {
    await request("hardhat_setBalance", account, toQuantity(wei));
  }

  async function act(account: string): Promise<void> {
    if (!impersonated.has(account)) {
      await request("hardhat_impersonateAccount", account);
      impersonated.add(account);
      return fund(account);
    }
    const balance = BigInt(String(await request("eth_getBalance", account, "latest")));
    if (balance < wealth / 2n) await fund(account);
  }

  /** Sends a transaction and waits for it; returns its receipt, or its revert data. */
  async function transact(call: Call): Promise<{ receipt: Receipt } | { revert: string }> {
    await act(call.from);
    try {
      const hash = String(await request("eth_sendTransaction", encodeCall(call)));
      return { receipt: await waitForReceipt(node, { hash, interval: 20 }) };
    } catch (error) {
      if (Object(error).code === "client_reverted") return { revert: "0x" };
      return { revert: revertOf(error) };
    }
  }

  async function observed(subject: object | string): Promise<Outcome> {
    const result = await observe(node, subject);
    if ("revert" in result) return result;
    const rounds = result.logs.flatMap(({ topics: [event, round = ""] }) =>
      event === identityUsed ? [round] : [],
    );
    return { done: { ...result, rounds, hash: typeof subject === "string" ? subject : "" } };
  }

  /** Simulates a call; answers `undefined` for a revert. */
  async function ask(call: Call): Promise<string | undefined> {
    try {
      const options = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
      const { error, output = "0x" }: Frame = await trace(node, encodeCall(call), options);
      return error === undefined ? output : undefined;
    } catch (error) {
      revertOf(error);
      return undefined;
    }
  }

  return {
    node,
    ask,
    fund,
    act,
    async observe(hash) {
      await mineWaiting(node, hash);
      return observed(hash);
    },
    async send(call) {
      const sent = await transact(call);
      return "revert" in sent ? sent : observed(sent.receipt.transactionHash);
    },
    async spend(call) {
      const sent = await transact(call);
      if ("revert" in sent) return undefined;
      return { hash: sent.receipt.transactionHash, gas: BigInt(sent.receipt.gasUsed) };
    },
    simulate: (call) => observed(encodeCall(call)),
    placesOf: (call) => readPlaces(node, encodeCall(call)),
    async undone(run) {
      const snapshot = await request("evm_snapshot");
      try {
        return await run();
      } finally {
        await request("evm_revert", snapshot);
      }
    },
    async leave() {
      for (const account of impersonated) await request("hardhat_stopImpersonatingAccount", account);
      impersonated.clear();
    },
    time: async () => Number(Object(await request("eth_getBlockByNumber", "latest", false)).timestamp),
    async pass(seconds, blocks = 1) {
      await request("evm_increaseTime", seconds);
      await request("hardhat_mine", toQuantity(blocks));
    },
  };
}

/** Writes a call as JSON-RPC takes it. */
export const encodeCall = ({ from, to, data, value = 0n, gas = gasLimit }: Call) => ({
  from,
  data,
  value: toQuantity(value),
  gas: toQuantity(gas),
  ...(to !== undefined && { to }),
});

/** Returns a revert's data. Throws every other error again. */
export function revertOf(error: unknown): string {
  const { data } = readRpcError(error);
  const message = String(Object(error).message ?? error);
  if (data === undefined && !/revert|out of gas|invalid opcode|exceeds/i.test(message)) throw error;
  return data ?? "0x";
}

/** Reads an address from a getter's answer; `undefined` for zero and other values. */
export function readAddress(answer: string | undefined): string | undefined {
  const [, digits] = /^0x0{24}(?!0{40})([\da-f]{40})$/i.exec(answer ?? "") ?? [];
  return digits && checksumAddress(`0x${digits}`);
}
