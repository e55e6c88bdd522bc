import { readWallClock } from "@hardhat-identity/chain/clock";
import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { decodeSigners, signersCall } from "@hardhat-identity/chain/registry";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { Curve } from "@hardhat-identity/signer/internal/curve/curve";
import type { StoreAccess } from "@hardhat-identity/signer/internal/database/properties";
import { dataSlice } from "ethers";
import { type Finding, type ForgedClaim, type JudgedInPart, keepFindings } from "./finding.ts";
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

export interface WatchOptions extends StoreAccess {
  readonly node: Eip1193Connection;
  readonly chainId: number;
  readonly registry: string;
  readonly curve: Curve;
  readonly hashes: ProtocolHashes;
  readonly keeper: PositionKeeper;
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
  /** Called after each range with its last block, and the newest one. */
  readonly onJudged: (last: Header, head: Header) => void;
  readonly onPart: (part: JudgedInPart) => void;
  /** Called with findings that somebody was told of, and that a reorganization has undone. */
  readonly onUndone: (finding: Finding) => void;
  readonly onSaved: (problem: string | undefined) => void;
}

/** Seconds that the newest block may be old before the node counts as one that lags. */
const maxAgeSeconds = 60;

/** Milliseconds for which the node may fail to prove an event; for which it is not asked for what it always refuses. */
const [maxLagMs, refusedMs] = [600_000, 600_000];

/** Refusals of all contracts' events in a row after which they count as always refused. */
const maxRefusals = 3;

/** The most events of unknown contracts that wait for a proof. */
const maxPending = 2_000;

/** Milliseconds of judging claims, after which the watch acts on its findings. */
const actEveryMs = 250;

/** Addresses in one query. */
const maxAddresses = 500;

const isClaim = ({ topics }: Log) => topics[0] === identityUsed && topics.length === 3;

/** An event that the node could not prove: since when, unix milliseconds, and what it is where no proof will come. */
interface Pending {
  readonly log: Log;
  readonly since: number;
  readonly claim?: ForgedClaim | undefined;
}

/**
 * Watches a registry from where its watch stood or, for the first time, from the newest block. Each look judges the blocks
 * after the last one that was judged, range by range: first the events of known consumers and of the registry, then, within
 * a share of the time, those of all other contracts.
 */
export async function openWatch(options: WatchOptions) {
  const { node, registry, keeper } = options;
  const store = await followStore(options);
  const judge = claimJudge({ ...options, trail: options });
  const span = learnSpan();
  const position = await begin(options);
  const chain = followChain(node, { confirmed: position.confirmed, confirm: options.confirm });
  const findings = keepFindings(position.findings, options.onUndone);
  findings.loosen(position.confirmed.number);
  /** The signers that were on the allowlist lately. */
  const signers = new Set(options.others);
  let hasSigners = false;
  let allowlist: readonly string[] | undefined;
  let pending = new Map<string, Pending>();
  let othersRefused = { times: 0, until: 0 };

  const isKnown = ({ address }: Pick<Log, "address">) =>
    options.consumers.has(address) || store.known.consumers.has(address);

  async function readSigners(at: BlockName): Promise<string[] | undefined> {
    const [answer] = await callAt(node, at.hash as `0x${string}`, [signersCall(registry)]);
    return answer?.success && answer.size >= 64 ? decodeSigners(answer.data) : undefined;
  }

  function tellPart(logs: readonly Pick<Log, "block" | "address">[], problem: string): void {
    const [first] = logs;
    if (first === undefined) return;
    let [from, to] = [first.block, first.block];
    for (const { block } of logs) [from, to] = [Math.min(from, block), Math.max(to, block)];
    const addresses = [...new Set(logs.map(({ address }) => address))].slice(0, 20);
    options.onPart({ from, to, addresses, problem });
  }

  function tellLeft({ addresses = [] }: Filter, { from, to }: Range, problem: string): void {
    options.onPart({ from, to, addresses: addresses.slice(0, 20), problem });
  }

  /** Queues an event to be judged again, unless too many events of unknown contracts are queued. */
  function pend(log: Log, claim?: ForgedClaim): boolean {
    const name = nameOf(log);
    const former = pending.get(name);
    if (former === undefined && pending.size >= maxPending && !isKnown(log)) return false;
    pending.set(name, { log, since: former?.since ?? Date.now(), claim });
    return true;
  }

  /**
   * Judges events and notes the verdicts as they come. Acts on each finding without waiting for the other events.
   *
   * @returns The names of those that are to be judged again.
   */
  async function settle(
    logs: readonly Log[],
    times: Map<string, number>,
    areKnown: boolean,
  ): Promise<Set<string>> {
    const lagging = new Set<string>();
    const cut: Log[] = [];
    let hasNews = false;
    let actedAt = Number.NEGATIVE_INFINITY;
    const note = (verdict: Verdict) => {
      const { log } = verdict;
      if (verdict.is === "found") hasNews = findings.note(verdict.claim) || hasNews;
      else if (verdict.is === "lagging" && pend(log, verdict.claim)) lagging.add(nameOf(log));
      else cut.push(log);
    };
    try {
      for await (const verdict of judge.judge(logs, { isKnown: areKnown, signers, times })) {
        note(verdict);
        if (!hasNews || performance.now() - actedAt < actEveryMs) continue;
        await options.act();
        [hasNews, actedAt] = [false, performance.now()];
      }
    } catch (error) {
      // An unknown contract may take a node too long.
      if (areKnown || !(error instanceof ChainUnavailableError)) throw error;
      for (const log of logs) note({ log, is: "lagging" });
    } finally {
      if (hasNews) await options.act();
      tellPart(cut, "These contracts emitted more events than their share of the watch's time.");
    }
    return lagging;
  }

  /** Judges again the events that the node could not prove. */
  async function judgePending(): Promise<void> {
    const isOver = ({ since }: Pending) => Date.now() - since > maxLagMs;
    for (const areKnown of [true, false]) {
      const all = [...pending.values()].filter(({ log }) => isKnown(log) === areKnown);
      const open = all.filter((each) => !isOver(each)).map(({ log }) => log);
      const lagging = open.length === 0 ? new Set() : await settle(open, new Map(), areKnown);
      for (const { log } of all) if (!lagging.has(nameOf(log))) pending.delete(nameOf(log));
      const unproven: Log[] = [];
      for (const { log, claim } of all.filter(isOver)) {
        if (claim === undefined) unproven.push(log);
        else findings.note(claim);
      }
      tellPart(unproven, "The node never proved these events.");
    }
  }

  /** Notes the signers that were added or removed, and reports added ones that nobody has named or used. */
  async function noteChanges(changes: readonly Log[]): Promise<void> {
    if (changes.length === 0) return;
    allowlist = undefined;
    const known = await options.readKnown();
    const unknown = changes.filter((log) => log.topics[0] === signerAdded && !known.has(signerOf(log)));
    if (unknown.length > 0) await store.refresh(true);
    for (const log of unknown) {
      const { transactionHash, block } = log;
      const signer = signerOf(log);
      if (!store.known.signers.has(signer))
        findings.note({ kind: "stranger", signer, transactionHash, block });
    }
  }

  /** Reads and judges a range of blocks. */
  async function judgeRange(range: Range, newest: readonly Header[]): Promise<Header> {
    const { consumers } = options;
    const known = [...new Set([registry, ...consumers, ...store.known.consumers])];
    const limits = { share: judge.share, onLeft: tellLeft };
    const events: Log[] = [];
    const end = demandHeader(node, range.end);
    const wantsOthers = performance.now() > othersRefused.until;
    const ofOthers = wantsOthers ? readLogs(node, { topics: [identityUsed] }, range, end) : undefined;
    ofOthers?.catch(() => undefined);
    for (let at = 0; at < known.length; at += maxAddresses) {
      const addresses = known.slice(at, at + maxAddresses);
      const filter = { addresses, topics: [identityUsed, signerAdded, signerRemoved] };
      const ofKnown = readLogs(node, filter, range, at === 0 ? end : undefined).catch((error: unknown) => {
        // The query for all other contracts, in the same batch, may have exceeded the node's limit: ask again alone.
        const isTogether = at === 0 && wantsOthers && error instanceof ChainUnavailableError;
        if (isTogether) return readLogs(node, filter, range);
        throw error;
      });
      if (range.from < range.to) for (const log of (await ofKnown).logs) events.push(log);
      else for (const log of await readInParts(node, filter, range, limits, ofKnown)) events.push(log);
    }
    const last = await end.catch(() => demandHeader(node, range.end));
    const times = new Map([...newest, last].map(({ hash, timestamp }) => [hash, timestamp]));
    const changes = events.filter(
      ({ address, topics }) => address === registry && topics[0] !== identityUsed,
    );
    for (const log of changes) signers.add(signerOf(log));
    const claims = events.filter(isClaim);
    const named = claims.filter(({ address }) => consumers.has(address));
    await settle([...new Set([...named, ...claims])], times, true);
    await noteChanges(changes);
    await options.act();
    const others = ofOthers && (await readOthers(range, ofOthers));
    if (others === undefined) return last;
    const unknown = others.filter((log) => isClaim(log) && !isKnown(log));
    if (unknown.length > 0) await settle(unknown, times, false);
    const seen = new Set([...events, ...others].map(({ block }) => block));
    for (const header of newest) {
      const { number } = header;
      if (number < range.from || number > range.to || seen.has(number)) continue;
      await demandNoClaims(header);
    }
    return last;
  }

  /** Reads the claims at all contracts, as far as the node gives them; `undefined` if it does not give all. */
  async function readOthers(range: Range, first: ReturnType<typeof readLogs>): Promise<Log[] | undefined> {
    let isWhole = true;
    let refusal: ChainUnavailableError | undefined;
    try {
      const limits: Limits = {
        share: judge.share,
        onLeft(filter, part, problem) {
          isWhole = false;
          tellLeft(filter, part, problem);
        },
        onRefused(error) {
          refusal = error;
        },
      };
      const logs = await readInParts(node, { topics: [identityUsed] }, range, limits, first);
      othersRefused.times = refusal === undefined ? 0 : othersRefused.times + 1;
      if (othersRefused.times >= maxRefusals)
        othersRefused = { times: 0, until: performance.now() + refusedMs };
      return isWhole ? logs : undefined;
    } catch (error) {
      // It may be a node's bad moment, or what it always does.
      if (!(error instanceof ChainUnavailableError) || ++othersRefused.times < maxRefusals) throw error;
      othersRefused = { times: 0, until: performance.now() + refusedMs };
      tellLeft({ topics: [] }, range, `The node does not give the events of all contracts: ${error.message}`);
      return undefined;
    }
  }

  /** Checks that a node left out no claim of a block of which it answered none: its receipts must have none either. */
  async function demandNoClaims(header: Header): Promise<void> {
    if (!mayHave(header, identityUsed)) return;
    const logs = (await readReceipts(node, header, judge.share)) ?? [];
    if (!logs.some((log) => Object(log).topics?.[0] === identityUsed)) return;
    throw new ChainUnavailableError(
      `The node leaves out events of block ${header.number}: its receipts have them.`,
    );
  }

  function save(): void {
    try {
      position.confirmed = chain.confirmed();
      position.findings = [...findings.all()];
      keeper.write(position);
      options.onSaved(undefined);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      options.onSaved(error.message);
    }
  }

  /** Moves the confirmed block on, but not past an event that waits for its proof. */
  function confirm(head: Header): void {
    let first = Number.POSITIVE_INFINITY;
    for (const { log } of pending.values()) first = Math.min(first, log.block);
    chain.confirm(head, first);
    save();
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
      const at = await readSigners(position.confirmed);
      for (const signer of [...(at ?? []), ...store.known.signers]) signers.add(signer);
      hasSigners = true;
    }
    while (newest.length > 0 && chain.judged().number < head.number) {
      const from = chain.judged().number + 1;
      const to = Math.min(head.number, from + span.next() - 1);
      const end = to === head.number ? (head.hash as `0x${string}`) : to;
      try {
        const last = await judgeRange({ from, to, end }, newest);
        span.take(to - from + 1);
        chain.advance(last);
        confirm(head);
        options.onJudged(last, head);
      } catch (error) {
        if (to === from || !isTooMuch(error)) throw error;
        span.refuse(to - from + 1);
      }
    }
    await judgePending();
    if (newest.length > 0) findings.tidy(head.number, chain.confirmed().number);
    confirm(head);
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
      if (isNew) allowlist = undefined;
      allowlist ??= await readSigners(await demandHeader(node, "latest"));
      if (allowlist !== undefined) return allowlist;
      throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
    },
  };
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
