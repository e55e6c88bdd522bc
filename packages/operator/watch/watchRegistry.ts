import { readWallClock } from "@hardhat-identity/chain/clock";
import { ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { decodeSigners, signersCall } from "@hardhat-identity/chain/registry";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { dataSlice } from "ethers";
import { openActing } from "./act.ts";
import type { Brake } from "./brake.ts";
import {
  identityUsed,
  type Log,
  learnSpan,
  nameOf,
  type Query,
  readInParts,
  readLogs,
  signerAdded,
  signerRemoved,
} from "./events.ts";
import { keepFindings } from "./findings.ts";
import { followChain } from "./follow.ts";
import { type BlockName, demandHeader, type Header, readHeader } from "./header.ts";
import { callAt, type JudgeOptions, openJudge, type Verdict } from "./judge.ts";
import type { WatchMetrics } from "./metrics.ts";
import { isTooMuch } from "./node.ts";
import type { Position, PositionKeeper } from "./position.ts";
import { demandNoEvent } from "./receipts.ts";
import type { Teller } from "./teller.ts";
import { followStore } from "./trail.ts";

export interface WatchOptions extends JudgeOptions {
  readonly keeper: PositionKeeper;
  readonly teller: Teller;
  readonly metrics: WatchMetrics;
  readonly brake: Brake | undefined;
  /** How many seconds this machine's clock is ahead of the node's, as far as is known. */
  readonly readAhead: () => number;
  /** The signers that may be added. */
  readonly readKnown: () => Promise<ReadonlySet<string>>;
  /** The block that cannot be undone any more. */
  readonly confirm: "safe" | "finalized";
  /** The first block, instead of the one after the last that was judged. */
  readonly fromBlock: number | undefined;
}

/** Seconds that the newest block may be old before the node counts as one that lags; that this machine's clock may be ahead. */
const [maxAgeSeconds, maxAheadSeconds] = [60, 30];

/** Milliseconds for which the node may fail to prove an event; for which it is not asked for what it always refuses. */
const [maxLagMs, refusedMs] = [600_000, 600_000];

/** Failures at all contracts' events in a row after which the node counts as one that always refuses them. */
const maxFailures = 3;

/** The most events of unknown contracts that wait for a proof. */
const maxWaiting = 2_000;

/** Milliseconds of judging claims, after which the watch acts on its findings. */
const actEveryMs = 250;

/** Addresses in one query. */
const maxAddresses = 500;

/**
 * Watches a registry from where its watch stood or, for the first time, from the newest block. Each look judges the blocks
 * after the last one that was judged, range by range: first the events of known consumers and of the registry, then, within
 * a share of the time, those of all other contracts. An event waits until the node proves what it is.
 */
export async function openWatch(options: WatchOptions) {
  const { node, registry, keeper, consumers, teller } = options;
  const store = await followStore(options);
  /** The signers that were on the allowlist lately. */
  const signers = new Set(options.others);
  const { judge, shareOfUnknown: share } = openJudge(options, signers);
  const span = learnSpan();
  const position = await begin(options);
  const chain = followChain(node, position.confirmed, options.confirm);
  const findings = keepFindings(position.findings, (finding) => teller.tell({ event: "undone", finding }));
  findings.loosen(position.confirmed.number);
  let hasSigners = false;
  let allowlist: readonly string[] = [];
  let isAllowlistOld = true;
  /** The events that were read, and have no verdict yet. */
  let waiting = new Map<string, Log>();
  let [failures, askOthersAt] = [0, 0];

  const act = openActing({ ...options, all: findings.all, readAllowlist });
  teller.tell({
    event: "watching",
    registry,
    from: position.confirmed.number + 1,
    ...(options.brake && { guardian: options.brake.guardian }),
  });

  const isKnown = ({ address }: Log) => consumers.has(address) || store.consumers.has(address);

  async function readSigners(at: BlockName): Promise<string[] | undefined> {
    const [answer] = await callAt(node, at.hash, [signersCall(registry)]);
    return answer?.success && answer.size >= 64 ? decodeSigners(answer.data) : undefined;
  }

  /** Reads the signers on the allowlist now; those of the last reading if nothing has changed since. */
  async function readAllowlist(isNew: boolean): Promise<readonly string[]> {
    if (!isNew && !isAllowlistOld) return allowlist;
    const read = await readSigners(await demandHeader(node, "latest"));
    if (read === undefined)
      throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
    for (const signer of allowlist) if (!read.includes(signer)) teller.tell({ event: "removed", signer });
    [allowlist, isAllowlistOld] = [read, false];
    return read;
  }

  /** Puts the claims among events to those that wait, with the times of those blocks that were read. */
  function awaitVerdict(events: readonly Log[], headers: readonly Header[]): void {
    const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]));
    for (const log of events) {
      const name = nameOf(log);
      if (log.topics[0] !== identityUsed || log.topics.length !== 3 || waiting.has(name)) continue;
      log.time = times.get(log.blockHash);
      waiting.set(name, log);
    }
  }

  /** Judges the events that wait, and notes each finding as it comes: acting on one waits for no other. */
  async function settle(areKnown: boolean): Promise<void> {
    const all = [...waiting.values()].filter((log) => isKnown(log) === areKnown);
    if (all.length === 0) return;
    all.sort((a, b) => Number(consumers.has(b.address)) - Number(consumers.has(a.address)));
    const lagging = new Set<Log>();
    let actAt = 0;
    const note = ({ log, claim, isLagging = false }: Verdict) => {
      const isOver = Date.now() - log.readAt > maxLagMs;
      if (claim !== undefined && (isOver || !isLagging)) return findings.note(claim);
      findings.keep(log);
      if (isLagging && !isOver && (areKnown || lagging.size < maxWaiting)) return void lagging.add(log);
      teller.notePart(
        { addresses: [log.address], from: log.block, to: log.block },
        isLagging && isOver
          ? "The node never proved these events."
          : "These contracts emitted more events than their share of the watch's time.",
      );
    };
    try {
      for await (const verdict of judge(all, areKnown)) {
        note(verdict);
        if (performance.now() < actAt) continue;
        await act();
        actAt = performance.now() + actEveryMs;
      }
    } catch (error) {
      // An unknown contract may take a node too long.
      if (areKnown || !(error instanceof ChainUnavailableError)) throw error;
      for (const log of all) note({ log, isLagging: true });
    } finally {
      await act();
    }
    for (const log of all) if (!lagging.has(log)) waiting.delete(nameOf(log));
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
    await act();
  }

  /** Reads and judges a range of blocks. */
  async function judgeRange(range: Pick<Query, "from" | "to" | "end">, newest: readonly Header[]) {
    const known = new Set([registry, ...consumers, ...store.consumers]);
    const ofAll: Query = { ...range, topics: [identityUsed] };
    // These go out in one batch with the first query of known contracts.
    const end = demandHeader(node, range.end);
    const ofOthers = performance.now() < askOthersAt ? undefined : readLogs(node, ofAll);
    void Promise.allSettled([end, ofOthers]);
    let events: Log[] = [];
    for (let at = 0; at < known.size; at += maxAddresses) {
      const addresses = [...known].slice(at, at + maxAddresses);
      const query = { ...range, addresses, topics: [identityUsed, signerAdded, signerRemoved] };
      // The node may have refused the batch for what it asks of all contracts.
      const first = readLogs(node, query).catch(() => readLogs(node, query));
      events = events.concat(await readInParts(node, query, { share, onLeft: teller.notePart }, first));
    }
    const last = await end.catch(() => demandHeader(node, range.end));
    const changes = events.filter(
      ({ address, topics }) => address === registry && topics[0] !== identityUsed,
    );
    for (const log of changes) signers.add(signerOf(log));
    const headers = newest.concat(last);
    awaitVerdict(events, headers);
    await settle(true);
    await noteChanges(changes);
    const others = ofOthers && (await readOthers(ofAll, ofOthers));
    awaitVerdict(
      (others ?? []).filter(({ address }) => !known.has(address)),
      headers,
    );
    await settle(false);
    if (others === undefined) return last;
    const seen = new Set(events.concat(others).map(({ block }) => block));
    const isSilent = ({ number }: Header) => number >= range.from && number <= range.to && !seen.has(number);
    for (const header of newest.filter(isSilent)) await demandNoEvent(node, header, identityUsed, share);
    return last;
  }

  /** Reads the claims at all contracts, as far as the node gives them; `undefined` if it does not give all. */
  async function readOthers(query: Query, first: Promise<Log[]>): Promise<Log[] | undefined> {
    let isWhole = true;
    const onLeft = (left: Query, problem: string) => {
      isWhole = false;
      teller.notePart(left, problem);
    };
    const isRefusal = ({ refused, limit }: ChainUnavailableError) => refused && limit !== "size";
    const asked = first.catch((error) => (isRefusal(error) ? readLogs(node, query) : first));
    try {
      const logs = await readInParts(node, query, { share, onLeft }, asked);
      failures = 0;
      return isWhole ? logs : undefined;
    } catch (error) {
      // It may be a node's bad moment, what it always does, or what it does with long ranges.
      const isLong = query.from < query.to;
      if (!(error instanceof ChainUnavailableError)) throw error;
      if (!isRefusal(error) && (isLong || ++failures < maxFailures)) throw error;
      [failures, askOthersAt] = [0, performance.now() + refusedMs];
      onLeft(query, `The node does not give the events of all contracts: ${error.message}`);
      return undefined;
    }
  }

  /** Keeps the position, if it can, with the confirmed block moved on, but not past an event that waits. */
  function save(head: Header): boolean {
    const open = [...waiting.values()].reduce(
      (first, { block }) => Math.min(first, block),
      Number.POSITIVE_INFINITY,
    );
    chain.confirm(head, open);
    position.confirmed = chain.confirmed();
    position.findings = findings.all();
    try {
      keeper.write(position);
      teller.isOver("cannot-save");
      return true;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      teller.trouble("cannot-save", error);
      return false;
    }
  }

  /**
   * Judges all blocks after the last one that was judged, range by range: finds, acts, saves.
   *
   * @throws ChainUnavailableError or InvalidInputError when it cannot go on. Earlier findings stay.
   */
  async function look(): Promise<Header> {
    const former = chain.judged();
    const { head, newest } = await chain.readNew();
    const judged = chain.judged();
    if (judged < former) {
      findings.loosen(judged);
      waiting = new Map([...waiting].filter(([, { block }]) => block <= judged));
    }
    if (!hasSigners) {
      const listed = (await readSigners(position.confirmed)) ?? [];
      for (const signer of listed.concat(...store.signers)) signers.add(signer);
      hasSigners = true;
    }
    while (newest.length > 0 && chain.judged() < head.number) {
      const from = chain.judged() + 1;
      const to = Math.min(head.number, from + span.next() - 1);
      const end = to === head.number ? head.hash : to;
      try {
        const last = await judgeRange({ from, to, end }, newest);
        span.take(to - from + 1);
        chain.advance(last);
        save(head);
        teller.progress(last, head);
      } catch (error) {
        const isOverTime = error instanceof ChainUnavailableError && error.limit === "time";
        if (to === from || !(isOverTime || isTooMuch(error))) throw error;
        if (isOverTime) span.fail(to - from + 1);
        else span.refuse(to - from + 1);
      }
    }
    if (newest.length > 0) findings.tidy(head.number, chain.confirmed().number);
    else for (const areKnown of [true, false]) await settle(areKnown);
    save(head);
    await store.refresh();
    const ahead = options.readAhead();
    const age = readWallClock() - head.timestamp - ahead;
    if (!options.isLocal && age > maxAgeSeconds)
      throw new ChainUnavailableError(`The node lags: its latest block ${head.number} is ${age} s old.`);
    // A chain may have no new block for a while.
    options.metrics.judged.set(head.timestamp);
    const problem = `This machine's clock is ${ahead} s ahead of the node's. Synchronize it (NTP).`;
    if (options.isLocal || ahead <= maxAheadSeconds) teller.isOver("clock-ahead");
    else teller.trouble("clock-ahead", problem);
    // Even without a new block: a removal may have to be sent again.
    await act();
    await readAllowlist(false);
    teller.tellPart();
    position.since = head.number + 1;
    return head;
  }

  return {
    /** The first block of which nobody was told yet. */
    since: () => position.since,
    act,
    look,
    save,
    /** Whether the node has not proved all events yet; those of known consumers, or of any. */
    isWaiting: (forKnown: boolean) => [...waiting.values()].some((log) => !forKnown || isKnown(log)),
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
