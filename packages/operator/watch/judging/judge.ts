import { BoundedMap } from "@hardhat-identity/protocol/boundedMap";
import type { BoundedAnswer, BoundedCall } from "@hardhat-identity/protocol/chain/boundedCalls";
import { registryCall } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import { verificationDomain } from "@hardhat-identity/protocol/verification";
import type { Curve } from "@hardhat-identity/signer/keys";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { Interface } from "ethers";
import { callAt } from "../reading/callAt.ts";
import type { Log } from "../reading/events.ts";
import { readHeader } from "../reading/header.ts";
import { orNoAnswer } from "../reading/node.ts";
import { both, callMs, ofSearches, openShare, type Share, tellMs, unlimited } from "../reading/shares.ts";
import { attribute, type ClaimTransaction } from "./attribute.ts";
import { type ForgedClaim, unattributed } from "./findings.ts";
import { type Claim, findWithoutEntry } from "./findWithoutEntry.ts";

const policyHashAbi = new Interface(["function policyHash(address consumer)"]);

/** The verdict on an event. An event that is fine has none. */
export type Verdict = { readonly log: Log } & (
  | { readonly kind: "found"; readonly claim: ForgedClaim }
  /** The node has no proof of the event yet. The claim is reported if it never has. */
  | { readonly kind: "lagging"; readonly claim?: ForgedClaim }
  /** Judging it exceeds the share of its contract. */
  | { readonly kind: "left-out"; readonly claim?: never }
);

export type Judge = ReturnType<typeof openJudge>["judge"];

export interface JudgeOptions extends StoreAccess {
  readonly node: Eip1193Connection;
  readonly chainId: number;
  readonly registry: string;
  readonly curve: Curve;
  readonly hashes: ProtocolHashes;
  /** Whether the node is a local one, whose clock may be anywhere. */
  readonly isLocal: boolean;
  /** Consumers that the operator named, whose claims have no limit. */
  readonly consumers: ReadonlySet<string>;
  /** The signers of other services, whose claims are left alone. */
  readonly others: ReadonlySet<string>;
}

/** Contracts asked in one call: together below what a transaction may take (EIP-7825), to which some nodes hold calls. */
const maxContracts = 4;

/** The most contracts whose shares are kept: twice as many as are known at once. */
const maxShares = 1_000;

/** The most that a look at the trail costs: less than a share has at once. */
const maxTrailMs = 1_500;

/** Milliseconds of a first search, which finds a signature where entry points have it. */
const firstMs = 10;

/** The most claims whose transactions are asked for together. */
const maxTogether = 50;

/** A contract after a block: whether it is there and asks our registry, and its policy. */
interface Consumer {
  readonly isThere: boolean;
  readonly isOurs: boolean;
  readonly policyHash: Hex | undefined;
}

const placeOf = ({ address, blockHash }: Log) => `${address} ${blockHash}`;

/**
 * Judges events: which of them the audit trail accounts for, and who signed the others. Each verdict rests on the event's
 * block by its hash, which proves that the node has it.
 *
 * @param signers Those to whom a claim may be attributed.
 */
export function openJudge(options: JudgeOptions, signers: ReadonlySet<string>) {
  const { node, registry, others, curve, hashes } = options;
  const domain = verificationDomain(options);
  // Anybody can make contracts known, one after the other.
  const shares = new BoundedMap<string, Share>(maxShares);
  const shareOfUnknown = openShare();
  const shareOfSearches = openShare(ofSearches);
  /** The cost of the last look at the trail for events of unknown contracts, which pay for the next one. */
  let trailMs = 0;

  function shareOf(address: string): Share {
    if (options.consumers.has(address)) return unlimited;
    const share = shares.get(address) ?? openShare();
    shares.set(address, share);
    return share;
  }

  /** Reads the times of the events' blocks by their hashes, unless they exceed the share. Those that the node lacks stay out. */
  async function readTimes(logs: readonly Log[], share: Share): Promise<boolean> {
    const untimed = logs.filter(({ time }) => time === undefined);
    const blocks = [...new Set(untimed.map(({ blockHash }) => blockHash))];
    if (blocks.length > 0 && !share.take(blocks.length * callMs)) return false;
    const headers = await Promise.all(blocks.map((block) => readHeader(node, block)));
    const times = new Map(headers.map((header) => [header?.hash, header?.timestamp]));
    for (const log of untimed) log.time = times.get(log.blockHash);
    return true;
  }

  /** Reads what the contracts of events are, several of one block in one call. Those that exceed the share stay out. */
  async function readConsumers(logs: readonly Log[], share: Share): Promise<Map<string, Consumer>> {
    const consumers = new Map<string, Consumer>();
    const places = [...new Map(logs.map((log) => [placeOf(log), log])).values()];
    for (const block of new Set(logs.map(({ blockHash }) => blockHash))) {
      const all = places.filter(({ blockHash }) => blockHash === block);
      for (let at = 0; at < all.length && share.take(2 * callMs); at += maxContracts) {
        const part = all.slice(at, at + maxContracts);
        const answers = await callAt(node, block, part.flatMap(callsOf));
        for (const [i, log] of part.entries()) consumers.set(placeOf(log), toConsumer(answers.slice(2 * i)));
      }
    }
    return consumers;
  }

  function callsOf({ address }: Log): BoundedCall[] {
    const data = policyHashAbi.encodeFunctionData("policyHash", [address]);
    return [registryCall(address), { target: registry, data, gasLimit: 3_000_000, sizeLimit: 32 }];
  }

  function toConsumer([asked, policy]: readonly BoundedAnswer[]): Consumer {
    return {
      isThere: asked?.hasCode === true,
      isOurs: asked?.success === true && asked.size === 32 && BigInt(asked.data) === BigInt(registry),
      policyHash: policy?.success && policy.size === 32 ? (policy.data as Hex) : undefined,
    };
  }

  /**
   * Judges events, one of each contract in turn: none of them keeps the others waiting.
   *
   * @param areKnown Whether they are all of known consumers, each of which has a share of its own.
   */
  async function* judge(logs: readonly Log[], areKnown: boolean): AsyncGenerator<Verdict> {
    const share = areKnown ? unlimited : shareOfUnknown;
    // Anybody can make events, which are not worth a look at the trail.
    const asked = areKnown ? undefined : await readConsumers(logs, share);
    const mayBeOurs = logs.filter((log) => {
      const consumer = asked?.get(placeOf(log));
      return !consumer?.isThere || consumer.isOurs;
    });
    const isTimed = await readTimes(mayBeOurs, share);
    const claims = mayBeOurs.filter((log): log is Claim => log.time !== undefined);
    const untimed = isTimed ? "lagging" : "left-out";
    for (const log of mayBeOurs) if (log.time === undefined) yield { kind: untimed, log };
    if (!areKnown && !share.take(trailMs)) {
      for (const log of claims) yield { kind: "left-out", log };
      return;
    }
    const since = performance.now();
    const { open, isCut } = await findWithoutEntry(claims, options);
    if (!areKnown && claims.length > 0) trailMs = Math.min(performance.now() - since, maxTrailMs);
    if (isCut && areKnown)
      throw new InvalidInputError(
        `Entries of the audit trail from the time of block ${open[0]?.block} have been removed as too old (IDENTITY_AUDIT_RETENTION): begin with a later block (--from-block).`,
      );
    const consumers = asked ?? (await readConsumers(open, share));
    const transactions = new Map<string, Promise<ClaimTransaction | undefined>>();
    const ownShare = (log: Log) => (areKnown ? shareOf(log.address) : share);

    /** Asks for the transaction of a claim, once. Returns `undefined` where that exceeds the share of its contract. */
    function ask(log: Claim): Promise<ClaimTransaction | undefined> | undefined {
      const known = transactions.get(log.transactionHash);
      const isNeeded = consumers.get(placeOf(log))?.policyHash !== undefined;
      if (known !== undefined || !isNeeded || !ownShare(log).take(2 * callMs)) return known;
      const asked = readTransaction(node, log);
      // An error is for who waits for the answer.
      asked.catch(() => undefined);
      transactions.set(log.transactionHash, asked);
      return asked;
    }

    /** Finds who signed a claim without an entry. Returns `"hidden"` where a quick search finds nobody. */
    async function judgeOne(log: Claim, isQuick: boolean): Promise<Verdict | "hidden" | undefined> {
      const consumer = consumers.get(placeOf(log));
      if (consumer === undefined || isCut) return { kind: "left-out", log };
      // It has emitted an event in this block.
      if (!consumer.isThere) return { kind: "lagging", log };
      if (!consumer.isOurs) return undefined;
      const own = ownShare(log);
      const claim = toForgedClaim(log, areKnown ? "forged" : "unproven");
      const { policyHash } = consumer;
      if (policyHash !== undefined) {
        const asked = ask(log);
        if (asked === undefined) return { kind: "left-out", log };
        const transaction = await asked;
        if (transaction === undefined) return { kind: "lagging", log, claim };
        const search = own === unlimited || !areKnown ? own : both(own, shareOfSearches);
        const quick = {
          take: (ms: number, left?: number) => ms < firstMs && search.take(ms, left),
          spend: search.spend,
        };
        const by = { domain, policyHash, signers, curve, hashes, share: isQuick ? quick : search };
        const signer = await attribute(log, transaction, by);
        if (signer !== undefined && others.has(signer)) return undefined;
        if (signer !== undefined) return { kind: "found", log, claim: toForgedClaim(log, "forged", signer) };
        if (isQuick) return "hidden";
      }
      return own.take(tellMs) ? { kind: "found", log, claim } : { kind: "left-out", log };
    }

    // Signatures that hide among what looks like them keep no claim waiting whose signature is in its place.
    let rest = takeTurns(open);
    for (const isQuick of areKnown ? [true, false] : [false]) {
      const hidden: Claim[] = [];
      for (let at = 0; at < rest.length; at += maxTogether) {
        const part = rest.slice(at, at + maxTogether);
        if (areKnown) part.forEach(ask);
        for (const log of part) {
          const verdict = await judgeOne(log, isQuick);
          if (verdict === "hidden") hidden.push(log);
          else if (verdict !== undefined) yield verdict;
        }
      }
      rest = hidden;
    }
  }

  return { judge, shareOfUnknown };
}

/** One claim of each contract after the other. */
function takeTurns(claims: readonly Claim[]): Claim[] {
  const turns = new Map<string, number>();
  const numbered = claims.map((claim) => {
    const turn = turns.get(claim.address) ?? 0;
    turns.set(claim.address, turn + 1);
    return { turn, claim };
  });
  return numbered.sort((a, b) => a.turn - b.turn).map(({ claim }) => claim);
}

function toForgedClaim(claim: Claim, kind: ForgedClaim["kind"], signer = unattributed): ForgedClaim {
  const { address: consumer, topics, transactionHash, block } = claim;
  const [, round = "", identityHash = ""] = topics;
  return { kind, consumer, round, identityHash, transactionHash, block, signer };
}

/** Reads the transaction of an event; `undefined` if the node does not have it, or not in this block. */
async function readTransaction(node: Eip1193Connection, log: Log): Promise<ClaimTransaction | undefined> {
  const asked = { method: "eth_getTransactionByHash", params: [log.transactionHash] };
  const found = await node.request(asked).catch(orNoAnswer);
  const { blockHash, hash, input, data = input, from, to } = membersOf(found) as Record<string, unknown>;
  const isIt = String(hash).toLowerCase() === log.transactionHash;
  if (!isIt || String(blockHash).toLowerCase() !== log.blockHash || typeof data !== "string")
    return undefined;
  return { from: String(from), to: String(to), digits: data.slice(2).toLowerCase() };
}
