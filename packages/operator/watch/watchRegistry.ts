import { readWallClock } from "@hardhat-identity/chain/clock";
import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { decodeSigners, signersCall } from "@hardhat-identity/chain/registry";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { Curve } from "@hardhat-identity/signer/keys";
import type { StoreAccess } from "@hardhat-identity/signer/store";
import { dataSlice } from "ethers";
import { keepFindings } from "./finding.ts";
import { followChain } from "./follow.ts";
import { type BlockName, demandHeader, type Header, readHeader } from "./header.ts";
import { callAt, claimJudge, type Verdict } from "./judge.ts";
import { followStore } from "./knownConsumers.ts";
import type { Position, PositionKeeper } from "./position.ts";
import {
  type Filter,
  identityUsed,
  isTooMuch,
  type Limits,
  type Log,
  learnSpan,
  nameOf,
  type Range,
  readInParts,
  readLogs,
  signerAdded,
  signerRemoved,
} from "./readEvents.ts";
import { mayHave, readReceipts } from "./receipts.ts";
import type { Teller } from "./teller.ts";

export interface WatchOptions extends StoreAccess {
  readonly node: Eip1193Connection;
  readonly chainId: number;
  readonly registry: string;
  readonly curve: Curve;
  readonly hashes: ProtocolHashes;
  readonly keeper: PositionKeeper;
  readonly teller: Teller;
  /** Whether the node is a local one, whose clock may be anywhere. */
  readonly isLocal: boolean;
  /** The signers that may be added. */
  readonly readKnown: () => Promise<ReadonlySet<string>>;
  /** The signers of other services, whose claims are left alone. */
  readonly others: ReadonlySet<string>;
  /** Consumers that are known besides those of the store. */
  readonly consumers: ReadonlySet<string>;
  /** The block that cannot be undone any more. */
  readonly confirm: "safe" | "finalized";
  /** The first block, instead of the one after the last that was judged. */
  readonly fromBlock: number | undefined;
  /** Acts on the findings: brakes, reports, counts. */
  readonly act: () => Promise<void>;
}

/** Seconds that the newest block may be old before the node counts as one that lags. */
const maxAgeSeconds = 60;

/** Milliseconds for which the node may fail to prove an event; for which it is not asked for what it always refuses. */
const [maxLagMs, refusedMs] = [600_000, 600_000];

/** Failures at all contracts' events in a row after which the node counts as one that always refuses them. */
const maxFailures = 3;

/** The most events of unknown contracts that wait for a proof. */
const maxPending = 2_000;

/** Milliseconds of judging claims, after which the watch acts on its findings. */
const actEveryMs = 250;

/** Addresses in one query. */
const maxAddresses = 500;

/** Why an event was not judged. */
const [tooMany, neverProved] = [
  "These contracts emitted more events than their share of the watch's time.",
  "The node never proved these events.",
];

/** The events of all contracts. */
const ofAll: Filter = { topics: [identityUsed] };

/**
 * Watches a registry from where its watch stood or, for the first time, from the newest block. Each look judges the blocks
 * after the last one that was judged, range by range: first the events of known consumers and of the registry, then, within
 * a share of the time, those of all other contracts.
 */
export async function openWatch(options: WatchOptions) {
  const { node, registry, keeper, consumers, teller } = options;
  const store = await followStore(options);
  /** The signers that were on the allowlist lately. */
  const signers = new Set(options.others);
  const { judge, shareOfUnknown } = claimJudge({ ...options, signers, trail: options });
  const span = learnSpan();
  const position = await begin(options);
  const chain = followChain(node, { confirmed: position.confirmed, confirm: options.confirm });
  const findings = keepFindings(position.findings, (finding) => teller.tell({ event: "undone", finding }));
  findings.loosen(position.confirmed.number);
  let hasSigners = false;
  let allowlist: readonly string[] = [];
  let isAllowlistOld = true;
  /** The events that the node could not prove, and since when, unix milliseconds. */
  let pending = new Map<string, { readonly log: Log; readonly since: number }>();
  let [failures, askOthersAt] = [0, 0];

  const isKnown = ({ address }: Log) => consumers.has(address) || store.consumers.has(address);

  async function readSigners(at: BlockName): Promise<string[] | undefined> {
    const [answer] = await callAt(node, at.hash as Hex, [signersCall(registry)]);
    return answer?.success && answer.size >= 64 ? decodeSigners(answer.data) : undefined;
  }

  /**
   * Judges events, and again those that the node could not prove. Each finding is noted as it comes, and acted on without
   * waiting for the others.
   */
  async function settle(logs: readonly Log[], areKnown: boolean): Promise<void> {
    const former = new Map([...pending].filter(([, { log }]) => isKnown(log) === areKnown));
    const all = [...former.values()].map(({ log }) => log).concat(logs);
    if (all.length === 0) return;
    const lagging = new Set<string>();
    let hasNews = false;
    let actedAt = Number.NEGATIVE_INFINITY;
    const note = ({ log, claim, isLagging = false }: Verdict) => {
      const name = nameOf(log);
      const { since = Date.now() } = former.get(name) ?? {};
      const isOver = Date.now() - since > maxLagMs;
      if (claim !== undefined && (isOver || !isLagging)) {
        hasNews = findings.note(claim) || hasNews;
        return;
      }
      findings.keep(log);
      if (isLagging && !isOver && (areKnown || lagging.size < maxPending)) {
        pending.set(name, { log, since });
        lagging.add(name);
      } else
        teller.notePart(
          { addresses: [log.address] },
          { from: log.block, to: log.block },
          isLagging && isOver ? neverProved : tooMany,
        );
    };
    try {
      for await (const verdict of judge(all, areKnown)) {
        note(verdict);
        if (!hasNews || performance.now() - actedAt < actEveryMs) continue;
        await options.act();
        [hasNews, actedAt] = [false, performance.now()];
      }
    } catch (error) {
      // An unknown contract may take a node too long.
      if (areKnown || !(error instanceof ChainUnavailableError)) throw error;
      for (const log of all) note({ log, isLagging: true });
    } finally {
      if (hasNews) await options.act();
    }
    for (const name of former.keys()) if (!lagging.has(name)) pending.delete(name);
  }

  /** Notes the signers that were added or removed, and reports added ones that nobody has named or used. */
  async function noteChanges(changes: readonly Log[]): Promise<void> {
    if (changes.length === 0) return;
    isAllowlistOld = true;
    const known = await options.readKnown();
    const unknown = changes.filter((log) => log.topics[0] === signerAdded && !known.has(signerOf(log)));
    if (unknown.length > 0) await store.refresh(true);
    for (const log of unknown) {
      const { transactionHash, block } = log;
      const signer = signerOf(log);
      if (!store.signers.has(signer)) findings.note({ kind: "stranger", signer, transactionHash, block });
    }
  }

  /** Reads and judges a range of blocks. */
  async function judgeRange(range: Range, newest: readonly Header[]): Promise<Header> {
    // The store may name more of them while these are judged.
    const known = new Set([registry, ...consumers, ...store.consumers]);
    const limits = { share: shareOfUnknown, onLeft: teller.notePart };
    const events: Log[] = [];
    const end = demandHeader(node, range.end);
    const ofOthers = performance.now() >= askOthersAt ? readLogs(node, ofAll, range, end) : undefined;
    ofOthers?.catch(() => undefined);
    for (let at = 0; at < known.size; at += maxAddresses) {
      const addresses = [...known].slice(at, at + maxAddresses);
      const filter = { addresses, topics: [identityUsed, signerAdded, signerRemoved] };
      const ofKnown = readLogs(node, filter, range, at === 0 ? end : undefined).catch((error: unknown) => {
        // The query for all other contracts, in the same batch, may have exceeded the node's limit: ask again alone.
        const isTogether = at === 0 && ofOthers !== undefined && error instanceof ChainUnavailableError;
        if (isTogether) return readLogs(node, filter, range);
        throw error;
      });
      const isOne = range.from === range.to;
      const logs = isOne ? await readInParts(node, filter, range, limits, ofKnown) : (await ofKnown).logs;
      for (const log of logs) events.push(log);
    }
    const last = await end.catch(() => demandHeader(node, range.end));
    const changes = events.filter(
      ({ address, topics }) => address === registry && topics[0] !== identityUsed,
    );
    for (const log of changes) signers.add(signerOf(log));
    const claims = claimsOf(events, [...newest, last]);
    const named = claims.filter(({ address }) => consumers.has(address));
    await settle([...new Set([...named, ...claims])], true);
    await noteChanges(changes);
    await options.act();
    const others = ofOthers && (await readOthers(range, ofOthers));
    const unknown = claimsOf(others ?? [], [...newest, last]).filter(({ address }) => !known.has(address));
    await settle(unknown, false);
    if (others === undefined) return last;
    const seen = new Set([...events, ...others].map(({ block }) => block));
    for (const header of newest) {
      const { number } = header;
      if (number >= range.from && number <= range.to && !seen.has(number)) await demandNoClaims(header);
    }
    return last;
  }

  /** Reads the claims at all contracts, as far as the node gives them; `undefined` if it does not give all. */
  async function readOthers(range: Range, first: ReturnType<typeof readLogs>): Promise<Log[] | undefined> {
    let isWhole = true;
    const onLeft: Limits["onLeft"] = (...left) => {
      isWhole = false;
      teller.notePart(...left);
    };
    const isRefusal = ({ refused, limit }: ChainUnavailableError) => refused && limit !== "size";
    const asked = first.catch((error) => (isRefusal(error) ? readLogs(node, ofAll, range) : first));
    try {
      const logs = await readInParts(node, ofAll, range, { share: shareOfUnknown, onLeft }, asked);
      failures = 0;
      return isWhole ? logs : undefined;
    } catch (error) {
      // It may be a node's bad moment, or what it always does.
      if (!(error instanceof ChainUnavailableError) || (!isRefusal(error) && ++failures < maxFailures))
        throw error;
      [failures, askOthersAt] = [0, performance.now() + refusedMs];
      onLeft(ofAll, range, `The node does not give the events of all contracts: ${error.message}`);
      return undefined;
    }
  }

  /** Checks that a node left out no claim of a block of which it answered none: its receipts must have none either. */
  async function demandNoClaims(header: Header): Promise<void> {
    if (!mayHave(header, identityUsed)) return;
    const logs = (await readReceipts(node, header, shareOfUnknown)) ?? [];
    if (!logs.some((log) => Object(log).topics?.[0] === identityUsed)) return;
    throw new ChainUnavailableError(
      `The node leaves out events of block ${header.number}: its receipts have them.`,
    );
  }

  /** Keeps the position, if it can, with the confirmed block moved on, but not past an event that waits for its proof. */
  function save(head: Header): boolean {
    let first = Number.POSITIVE_INFINITY;
    for (const { log } of pending.values()) first = Math.min(first, log.block);
    chain.confirm(head, first);
    position.confirmed = chain.confirmed();
    position.findings = [...findings.all()];
    try {
      keeper.write(position);
      teller.trouble("cannot-save", undefined);
      return true;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      teller.trouble("cannot-save", error.message);
      return false;
    }
  }

  /**
   * Judges all blocks after the last one that was judged, range by range: finds, acts, saves.
   *
   * @param readAhead How many seconds this machine's clock is ahead, as far as is known.
   * @throws ChainUnavailableError or InvalidInputError when it cannot go on. Earlier findings stay.
   */
  async function look(readAhead: () => number): Promise<Header> {
    const head = await chain.readHead();
    const former = chain.judged().number;
    const newest = await chain.follow(head);
    const judged = chain.judged().number;
    if (judged < former) {
      findings.loosen(judged);
      pending = new Map([...pending].filter(([, { log }]) => log.block <= judged));
    }
    if (!hasSigners) {
      const at = (await readSigners(position.confirmed)) ?? [];
      for (const signer of at.concat(...store.signers)) signers.add(signer);
      hasSigners = true;
    }
    while (newest.length > 0 && chain.judged().number < head.number) {
      const from = chain.judged().number + 1;
      const to = Math.min(head.number, from + span.next() - 1);
      const end = to === head.number ? (head.hash as Hex) : to;
      try {
        const last = await judgeRange({ from, to, end }, newest);
        span.take(to - from + 1);
        chain.advance(last);
        save(head);
        teller.progress(last, head);
      } catch (error) {
        if (to === from || !isTooMuch(error)) throw error;
        span.refuse(to - from + 1);
      }
    }
    if (newest.length > 0) findings.tidy(head.number, chain.confirmed().number);
    else for (const areKnown of [true, false]) await settle([], areKnown);
    save(head);
    await store.refresh();
    const age = readWallClock() - head.timestamp - readAhead();
    if (options.isLocal || age <= maxAgeSeconds) return head;
    throw new ChainUnavailableError(`The node lags: its latest block ${head.number} is ${age} s old.`);
  }

  return {
    position,
    findings,
    look,
    save,
    /** Whether the node has not proved all events yet; those of known consumers, or of any. */
    isPending: (ofKnown: boolean) => [...pending.values()].some(({ log }) => !ofKnown || isKnown(log)),
    /** Reads the signers on the allowlist now; those of the last reading if nothing has changed since. */
    async readAllowlist(isNew: boolean): Promise<readonly string[]> {
      if (!isNew && !isAllowlistOld) return allowlist;
      const read = await readSigners(await demandHeader(node, "latest"));
      if (read === undefined)
        throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
      for (const signer of allowlist) if (!read.includes(signer)) teller.tell({ event: "removed", signer });
      [allowlist, isAllowlistOld] = [read, false];
      return read;
    },
  };
}

/** The claims among events, with the times of those blocks that were read. */
function claimsOf(events: readonly Log[], headers: readonly Header[]): Log[] {
  const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]));
  const claims = events.filter(({ topics }) => topics[0] === identityUsed && topics.length === 3);
  for (const log of claims) log.time = times.get(log.blockHash);
  return claims;
}

const signerOf = ({ topics }: Log): string => checksumAddress(dataSlice(topics[1] ?? "", 12));

async function begin({ node, keeper, fromBlock }: WatchOptions): Promise<Position> {
  const kept = fromBlock === undefined ? keeper.read() : undefined;
  if (kept !== undefined) return kept;
  const before = fromBlock === undefined ? "latest" : Math.max(0, fromBlock - 1);
  const header = await readHeader(node, before);
  if (header === undefined) throw new InvalidInputError(`The node has no block ${before} yet.`);
  const { number, hash } = header;
  return { confirmed: { number, hash }, since: number + 1, findings: [] };
}
