import {
  type BoundedAnswer,
  type BoundedCall,
  boundedCalls,
  type CallBlock,
} from "@hardhat-identity/chain/boundedCalls";
import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { judgeRegistry, registryCall } from "@hardhat-identity/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import { verificationDomain } from "@hardhat-identity/protocol/verification";
import type { Curve } from "@hardhat-identity/signer/internal/curve/curve";
import { Interface } from "ethers";
import { attribute, type ClaimTransaction } from "./attribute.ts";
import { type Claim, findWithoutEntry } from "./findEntries.ts";
import { type ForgedClaim, unattributed } from "./finding.ts";
import { demandHeader, readHeader } from "./header.ts";
import type { Log } from "./readEvents.ts";
import { callMs, openShare, type Share, tellMs, unlimited } from "./share.ts";

const registryAbi = new Interface(["function policyHash(address consumer)"]);

/** The verdict on an event. An event without one is fine. */
export type Verdict =
  | { readonly log: Log; readonly is: "found"; readonly claim: ForgedClaim }
  /** The node has no proof of the event yet. `claim` is what it is where none will come. */
  | { readonly log: Log; readonly is: "lagging"; readonly claim?: ForgedClaim }
  /** It exceeds the share of its contract. */
  | { readonly log: Log; readonly is: "cut" };

/** Contracts asked in one call, and blocks in one turn. */
const [maxContracts, maxBlocks] = [10, 8];

/** Claims in a row at which the node may fail before it counts as away. */
const maxFailures = 3;

/** A contract at a block: whether it asks our registry, and its policy. */
type Consumer = "lagging" | "cut" | { readonly isOurs: boolean; readonly policyHash: Hex | undefined };

const placeOf = ({ address, blockHash }: Log) => `${address} ${blockHash}`;

/**
 * Judges events: which of them the audit trail accounts for, and who signed the others. Each verdict rests on the event's
 * block by its hash, which proves that the node has it.
 *
 * @param input.consumers Those that the operator named, whose claims have no limit.
 * @param input.others The signers of other services, whose claims are left alone.
 */
export function claimJudge(input: {
  node: Eip1193Connection;
  chainId: number;
  registry: string;
  curve: Curve;
  hashes: ProtocolHashes;
  consumers: ReadonlySet<string>;
  others: ReadonlySet<string>;
  trail: Parameters<typeof findWithoutEntry>[1];
}) {
  const { node, registry, others } = input;
  const domain = verificationDomain(input);
  const shares = new Map([...input.consumers].map((address) => [address, unlimited]));

  function shareOf(address: string): Share {
    const share = shares.get(address) ?? openShare();
    shares.set(address, share);
    return share;
  }

  /** Reads the times of the events' blocks by their hashes. Those that the node lacks are left out. */
  async function readTimes(logs: readonly Log[], times: Map<string, number>, share: Share): Promise<boolean> {
    const hashes = [...new Set(logs.map(({ blockHash }) => blockHash))].filter((hash) => !times.has(hash));
    if (hashes.length > 0 && !share.take(hashes.length * callMs)) return false;
    for (let at = 0; at < hashes.length; at += maxBlocks) {
      const part = hashes.slice(at, at + maxBlocks);
      for (const header of await Promise.all(part.map((hash) => readHeader(node, hash)))) {
        if (header !== undefined) times.set(header.hash, header.timestamp);
      }
    }
    return true;
  }

  /** Reads what the contracts of events are, after the events' blocks, several of one block in one call. */
  async function readConsumers(logs: readonly Log[], share: Share): Promise<Map<string, Consumer>> {
    const consumers = new Map<string, Consumer>();
    const places = new Map(logs.map((log) => [placeOf(log), log]));
    for (const block of new Set(logs.map(({ blockHash }) => blockHash))) {
      const all = [...places.values()].filter(({ blockHash }) => blockHash === block);
      for (let at = 0; at < all.length; at += maxContracts) {
        const part = all.slice(at, at + maxContracts);
        const read = share.take(2 * callMs) ? await readConsumersAt(part) : part.map(() => "cut" as const);
        for (const [i, log] of part.entries()) consumers.set(placeOf(log), read[i] ?? "lagging");
      }
    }
    return consumers;
  }

  async function readConsumersAt(logs: readonly Log[]): Promise<Consumer[]> {
    const calls = logs.flatMap(({ address }): BoundedCall[] => {
      const data = registryAbi.encodeFunctionData("policyHash", [address]);
      return [registryCall(address), { target: registry, data, gasLimit: 3_000_000, sizeLimit: 32 }];
    });
    const answers = await callAt(node, logs[0]?.blockHash ?? "0x", calls);
    return logs.map(({ address }, i) => {
      const [asked, policy] = answers.slice(2 * i);
      // It has emitted an event in this block.
      if (!asked?.hasCode) return "lagging";
      const policyHash = policy?.success && policy.size === 32 ? (policy.data as Hex) : undefined;
      return { isOurs: isOurs(address, asked), policyHash };
    });
  }

  function isOurs(consumer: string, answer: BoundedAnswer): boolean {
    try {
      return judgeRegistry(consumer, answer) === registry;
    } catch (error) {
      if (error instanceof InvalidInputError) return false;
      throw error;
    }
  }

  /** Finds who signed a claim without an entry. */
  async function judgeOne(
    claim: Claim,
    log: Log,
    at: {
      readonly isKnown: boolean;
      readonly share: Share;
      readonly signers: ReadonlySet<string>;
      readonly consumer: Consumer;
      readonly transactions: Map<string, ClaimTransaction | undefined>;
    },
  ): Promise<Verdict | undefined> {
    const { isKnown, share, signers, consumer, transactions } = at;
    if (typeof consumer === "string") return { log, is: consumer };
    if (!consumer.isOurs) return undefined;
    const { time: _time, ...rest } = claim;
    const kind = isKnown ? "forged" : "unproven";
    const nameless: ForgedClaim = { ...rest, kind, signer: unattributed, isBraked: false };
    const { policyHash } = consumer;
    const { transactionHash } = log;
    if (policyHash !== undefined && !transactions.has(transactionHash)) {
      if (!isKnown && !share.take(2 * callMs)) return { log, is: "cut" };
      transactions.set(transactionHash, await readTransaction(node, log));
    }
    const transaction = transactions.get(transactionHash);
    let signer: string | undefined;
    if (policyHash !== undefined) {
      if (transaction === undefined) return { log, is: "lagging", claim: nameless };
      const { curve, hashes } = input;
      signer = await attribute(claim, transaction, { domain, policyHash, signers, curve, hashes, share });
    }
    if (signer !== undefined && others.has(signer)) return undefined;
    if (signer !== undefined) return { log, is: "found", claim: { ...nameless, kind: "forged", signer } };
    return share.take(tellMs) ? { log, is: "found", claim: nameless } : { log, is: "cut" };
  }

  return {
    /** The share of all unknown contracts together. */
    share: openShare(),

    /**
     * Judges events, one of each contract in turn: none of them keeps the others waiting.
     *
     * @param by.isKnown Whether they are all of known consumers, each of which has a share of its own.
     * @param by.signers Those that were on the allowlist at the time.
     * @param by.times The known times of blocks, by their hashes.
     */
    async *judge(
      logs: readonly Log[],
      by: {
        readonly isKnown: boolean;
        readonly signers: ReadonlySet<string>;
        readonly times: Map<string, number>;
      },
    ): AsyncGenerator<Verdict> {
      const { isKnown, signers, times } = by;
      const share = isKnown ? unlimited : this.share;
      let consumers: Map<string, Consumer> | undefined;
      let ours = logs;
      if (!isKnown) {
        // Anybody can make events, which are not worth a look at the trail.
        consumers = await readConsumers(logs, share);
        ours = logs.filter((log) => membersOf(consumers?.get(placeOf(log))).isOurs !== false);
      }
      const isTimed = await readTimes(ours, times, share);
      const claims = new Map<Claim, Log>();
      for (const log of ours) {
        const time = times.get(log.blockHash);
        if (time === undefined) yield { log, is: isTimed ? "lagging" : "cut" };
        else claims.set(toClaim(log, time), log);
      }
      const { open, isCut } = await findWithoutEntry([...claims.keys()], input.trail);
      if (isCut && isKnown)
        throw new InvalidInputError(
          `Entries of the audit trail from the time of block ${open[0]?.block} have been removed as too old (IDENTITY_AUDIT_RETENTION): begin with a later block (--from-block).`,
        );
      consumers ??= await readConsumers(
        [...open].map((claim) => claims.get(claim) as Log),
        share,
      );
      const transactions = new Map<string, ClaimTransaction | undefined>();
      let failures = 0;
      for (const claim of takeTurns(open)) {
        const log = claims.get(claim) as Log;
        const consumer = isCut ? "cut" : (consumers.get(placeOf(log)) ?? "lagging");
        const of = isKnown ? shareOf(log.address) : share;
        try {
          const verdict = await judgeOne(claim, log, { isKnown, share: of, signers, consumer, transactions });
          if (verdict !== undefined) yield verdict;
          failures = 0;
        } catch (error) {
          if (!(error instanceof ChainUnavailableError) || ++failures > maxFailures) throw error;
          yield { log, is: "lagging" };
        }
      }
    },
  };
}

/** One claim of each contract after the other. */
function takeTurns(claims: readonly Claim[]): Claim[] {
  const turns = new Map<string, number>();
  const numbered = claims.map((claim) => {
    const turn = turns.get(claim.consumer) ?? 0;
    turns.set(claim.consumer, turn + 1);
    return { turn, claim };
  });
  return numbered.sort((a, b) => a.turn - b.turn).map(({ claim }) => claim);
}

function toClaim({ address: consumer, topics, transactionHash, block }: Log, time: number): Claim {
  const [, round = "", identityHash = ""] = topics;
  return { consumer, round, identityHash, transactionHash, block, time };
}

/**
 * Makes calls on the state after a block, by its hash (EIP-1898). A node that takes no hash, or has forgotten the state, is
 * asked for the latest one, in one batch with the block's header, which proves that it has the block.
 *
 * @throws ChainUnavailableError when the node lacks the block, or fails.
 */
export async function callAt(
  node: Eip1193Connection,
  blockHash: `0x${string}`,
  calls: readonly BoundedCall[],
): Promise<BoundedAnswer[]> {
  const ask = (at: CallBlock) => boundedCalls(node, calls, at);
  return await ask({ blockHash }).catch(async (error: unknown) => {
    if (!(error instanceof ChainUnavailableError && error.refused)) throw error;
    const [answers] = await Promise.all([ask("latest"), demandHeader(node, blockHash)]);
    return answers;
  });
}

/** Reads the transaction of an event; `undefined` if the node lags, and has none of this hash in this block. */
async function readTransaction(node: Eip1193Connection, log: Log): Promise<ClaimTransaction | undefined> {
  const found = await node.request({ method: "eth_getTransactionByHash", params: [log.transactionHash] });
  const { blockHash, hash, input, data = input, from, to } = membersOf(found) as Record<string, unknown>;
  const isIt = String(hash).toLowerCase() === log.transactionHash;
  if (!isIt || String(blockHash).toLowerCase() !== log.blockHash || typeof data !== "string")
    return undefined;
  return { from: String(from), to: String(to), digits: data.slice(2).toLowerCase(), isSearched: false };
}
