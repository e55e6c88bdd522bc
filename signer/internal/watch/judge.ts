import { Interface } from "ethers";
import type { BoundedCall } from "../../../chain/boundedCalls.ts";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import { judgeRegistry, registryCall } from "../../../chain/registry.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { verificationDomain } from "../../../protocol/verification.ts";
import type { Curve } from "../curve/curve.ts";
import type { FastHashes } from "../curve/hashes.ts";
import { attribute, type ClaimTransaction } from "./attribute.ts";
import type { Budget } from "./budget.ts";
import { type Claim, findWithoutEntry } from "./findEntries.ts";
import { type ForgedClaim, unattributed } from "./finding.ts";
import { readHeader } from "./header.ts";
import type { PacedNode } from "./node.ts";
import type { Log } from "./readEvents.ts";
import { callAt, readTransaction } from "./state.ts";

const registryAbi = new Interface(["function policyHash(address consumer)"]);

/** What is said of an event. An event of which nothing is said is fine. */
export type Verdict =
  | { readonly log: Log; readonly claim: ForgedClaim }
  /** The node lags: it has no proof of the event yet. `claim` is what it is where none will come. */
  | { readonly log: Log; readonly lags: true; readonly claim?: ForgedClaim }
  /** A limit ended its judgement. */
  | { readonly log: Log; readonly isCut: true };

/** Contracts asked in one call; and claims of one transaction that are judged at contracts that nobody knows. */
const [maxContracts, maxClaims] = [40, 20];

/** Claims in a row at which the node may fail before it counts as away. */
const maxFailures = 3;

/** What is read about the events of a range, once. */
interface Reading {
  readonly consumers: Map<string, Promise<{ isOurs: boolean; policyHash: Hex | undefined } | "lags">>;
  readonly transactions: Map<string, Promise<ClaimTransaction | undefined>>;
  readonly claimsOf: Map<string, number>;
}

/** @param input.others The signers of other services, whose claims are left alone. */
export function claimJudge(input: {
  node: PacedNode;
  chainId: number;
  registry: string;
  curve: Curve;
  hashes: FastHashes;
  others: ReadonlySet<string>;
  trail: Parameters<typeof findWithoutEntry>[1];
}) {
  const { node, registry, curve, hashes, others, trail } = input;
  const domain = verificationDomain(input);

  function isOurs(consumer: string, answer: Parameters<typeof judgeRegistry>[1]): boolean {
    try {
      return judgeRegistry(consumer, answer) === registry;
    } catch (error) {
      if (error instanceof InvalidInputError) return false;
      throw error;
    }
  }

  /** Reads whether a consumer asks our registry, and its policy, after the event's block. */
  async function readConsumer(log: Log) {
    const data = registryAbi.encodeFunctionData("policyHash", [log.address]);
    const call: BoundedCall = { target: registry, data, gasLimit: 3_000_000, sizeLimit: 32 };
    const [asked, policy] = await callAt(node, log, [registryCall(log.address), call]);
    // It has emitted an event in this block.
    if (!asked?.hasCode) return "lags";
    const policyHash = policy?.success && policy.size === 32 ? (policy.data as Hex) : undefined;
    return { isOurs: isOurs(log.address, asked), policyHash };
  }

  /** Reads the times of the events' blocks by their hashes; those that the node lacks are left out. */
  async function readTimes(logs: readonly Log[], times: Map<string, number>): Promise<void> {
    const hashes = [...new Set(logs.map(({ blockHash }) => blockHash))].filter((hash) => !times.has(hash));
    for (let at = 0; at < hashes.length; at += 8) {
      await Promise.all(
        hashes.slice(at, at + 8).map(async (hash) => {
          const header = await readHeader(node, hash);
          if (header !== undefined) times.set(hash, header.timestamp);
        }),
      );
    }
  }

  /** Finds who signed a claim without an entry. */
  async function judgeOne(
    { log, claim }: Unaccounted,
    signers: ReadonlySet<string>,
    { consumers, transactions, claimsOf }: Reading,
    budget?: Budget,
  ): Promise<Verdict | undefined> {
    const place = `${log.address} ${log.blockHash}`;
    const count = (claimsOf.get(log.transactionHash) ?? 0) + 1;
    claimsOf.set(log.transactionHash, count);
    const calls = (consumers.has(place) ? 0 : 2) + (transactions.has(log.transactionHash) ? 0 : 2);
    if (budget && (count > maxClaims || !budget.hasTime() || !budget.takeCalls(calls)))
      return { log, isCut: true };
    const { time: _time, ...rest } = claim;
    const found = (signer: string): ForgedClaim => ({
      kind: budget && signer === unattributed ? "unproven" : "forged",
      ...rest,
      signer,
      isBraked: false,
    });
    const known = consumers.get(place) ?? readConsumer(log);
    consumers.set(place, known);
    const consumer = await known;
    if (consumer === "lags") return { log, lags: true };
    if (!consumer.isOurs) return undefined;
    const { policyHash } = consumer;
    if (policyHash === undefined) return { log, claim: found(unattributed) };
    const read = transactions.get(log.transactionHash) ?? readTransaction(node, log);
    transactions.set(log.transactionHash, read);
    const transaction = await read;
    if (transaction === undefined) return { log, lags: true, claim: found(unattributed) };
    const hasTime = () => budget === undefined || budget.hasTime();
    const signer = await attribute(claim, transaction, {
      domain,
      policyHash,
      signers,
      curve,
      hashes,
      hasTime,
    });
    if (signer === "cut" && budget) return { log, isCut: true };
    const name = signer === undefined || signer === "cut" ? unattributed : signer;
    return others.has(name) ? undefined : { log, claim: found(name) };
  }

  /** Judges claims in turns of their contracts: none of them, and no transaction, keeps the others waiting. */
  async function* judgeInTurns(
    claims: readonly Unaccounted[],
    signers: ReadonlySet<string>,
    budget?: Budget,
  ) {
    const reading: Reading = { consumers: new Map(), transactions: new Map(), claimsOf: new Map() };
    let failures = 0;
    for (const each of takeTurns(claims)) {
      try {
        const verdict = await judgeOne(each, signers, reading, budget);
        if (verdict !== undefined) yield verdict;
        failures = 0;
      } catch (error) {
        if (!(error instanceof ChainUnavailableError) || ++failures > maxFailures) throw error;
        yield { log: each.log, lags: true } as const;
      }
    }
  }

  /** Finds the claims that no entry accounts for; and those whose blocks the node lacks. */
  async function findUnaccounted(logs: readonly Log[], times: Map<string, number>) {
    const lagging = logs.filter(({ blockHash }) => !times.has(blockHash));
    const claims = new Map(
      logs.flatMap((log) => {
        const time = times.get(log.blockHash);
        return time === undefined ? [] : [[toClaim(log, time), log] as const];
      }),
    );
    const { open, isCut } = await findWithoutEntry([...claims.keys()], trail);
    const unaccounted = open.map((claim) => ({ claim, log: claims.get(claim) as Log }));
    return { unaccounted, isCut, lagging };
  }

  return {
    /**
     * Judges the events of known consumers, all of them.
     *
     * @param signers Those that were on the allowlist at the time.
     * @param times The known times of blocks, by their hashes.
     */
    async *judgeKnown(
      logs: readonly Log[],
      signers: ReadonlySet<string>,
      times: Map<string, number>,
    ): AsyncGenerator<Verdict> {
      await readTimes(logs, times);
      const { unaccounted, isCut, lagging } = await findUnaccounted(logs, times);
      if (isCut) {
        throw new InvalidInputError(
          `Entries of the audit trail from the time of block ${unaccounted[0]?.log.block} have been removed as too old (IDENTITY_AUDIT_RETENTION): begin with a later block (--from-block).`,
        );
      }
      for (const log of lagging) yield { log, lags: true };
      yield* judgeInTurns(unaccounted, signers);
    },
    /** Judges the events of contracts that nobody knows, within a budget. */
    async *judgeOthers(
      logs: readonly Log[],
      signers: ReadonlySet<string>,
      times: Map<string, number>,
      budget: Budget,
    ): AsyncGenerator<Verdict> {
      const ours = new Map<string, boolean | "lags">();
      const newest = [...new Map(logs.map((log) => [log.address, log])).values()];
      for (const [block, all] of groupBy(newest, ({ blockHash }) => blockHash)) {
        for (let at = 0; at < all.length && budget.hasTime() && budget.takeCalls(2); at += maxContracts) {
          const asked = all.slice(at, at + maxContracts);
          const calls = asked.map(({ address }) => registryCall(address));
          const answers = await callAt(node, { block: asked[0]?.block ?? 0, blockHash: block as Hex }, calls);
          for (const [i, { address }] of asked.entries()) {
            ours.set(address, answers[i]?.hasCode ? isOurs(address, answers[i]) : "lags");
          }
        }
      }
      const claimed: Log[] = [];
      for (const log of logs) {
        const answer = ours.get(log.address);
        if (answer === undefined) yield { log, isCut: true };
        if (answer === "lags") yield { log, lags: true };
        if (answer === true) claimed.push(log);
      }
      const blocks = new Set(claimed.map(({ blockHash }) => blockHash).filter((hash) => !times.has(hash)));
      const isMuch = !budget.takeCalls(blocks.size);
      if (!isMuch) await readTimes(claimed, times);
      const { unaccounted, isCut, lagging } = await findUnaccounted(claimed, times);
      for (const log of lagging) yield isMuch ? { log, isCut: true } : { log, lags: true };
      if (isCut) for (const { log } of unaccounted) yield { log, isCut: true };
      else yield* judgeInTurns(unaccounted, signers, budget);
    },
  };
}

interface Unaccounted {
  readonly log: Log;
  readonly claim: Claim;
}

/** In the order of the contracts' first events, one claim of each after the other. */
function* takeTurns(claims: readonly Unaccounted[]): Generator<Unaccounted> {
  let queues = [...groupBy(claims, ({ log }) => log.address).values()];
  for (let turn = 0; queues.length > 0; turn++) {
    for (const queue of queues) yield queue[turn] as Unaccounted;
    queues = queues.filter(({ length }) => length > turn + 1);
  }
}

function toClaim({ address: consumer, topics, transactionHash, block }: Log, time: number): Claim {
  const [, round = "", identityHash = ""] = topics;
  return { consumer, round, identityHash, transactionHash, block, time };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
