import { dataSlice } from "ethers";
import { readWallClock } from "../../../chain/clock.ts";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import { decodeSigners, signersCall } from "../../../chain/registry.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import type { FastHashes } from "../curve/hashes.ts";
import type { StoreAccess } from "../database/properties.ts";
import { demandNoEvents, readFromReceipts } from "./bloom.ts";
import { openBudget } from "./budget.ts";
import {
  type Finding,
  type ForgedClaim,
  type Found,
  type JudgedInPart,
  keyOf,
  unattributed,
} from "./finding.ts";
import {
  type BlockId,
  type BlockName,
  demandHeader,
  type Header,
  readHeader,
  readHeaders,
} from "./header.ts";
import { claimJudge, type Verdict } from "./judge.ts";
import { followStore } from "./knownConsumers.ts";
import type { PacedNode } from "./node.ts";
import type { Position, PositionKeeper } from "./position.ts";
import {
  type Filter,
  identityUsed,
  type Log,
  learnSpan,
  nameOf,
  type Range,
  type RangeEvents,
  readRange,
  signerAdded,
  signerRemoved,
  splitFilter,
} from "./readEvents.ts";
import { callAt } from "./state.ts";

export interface WatchOptions extends StoreAccess {
  readonly node: PacedNode;
  readonly chainId: number;
  readonly registry: string;
  readonly curve: Curve;
  readonly hashes: FastHashes;
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
  /** Acts on what was found: brakes, tells, counts. */
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

/** Seconds behind the newest block after which one counts as confirmed where a node knows no such block. */
const confirmSeconds = 1_500;

/** Milliseconds from one reading of the confirmed block to the next. */
const confirmEveryMs = 6_000;

/** New blocks whose headers are read one by one, in a look of at most twelve calls. */
const maxHeaders = 6;

/** Milliseconds for which a finding is kept, and the greatest number of each kind. */
const [findingTtlMs, maxFindings] = [86_400_000, 2_000];

/** Milliseconds for which the node may fail to prove an event before what is known of it counts. */
const maxLagMs = 600_000;

/** Refusals of the events of all contracts in a row, after which the node is not asked for them for a while. */
const maxRefusals = 3;

/** Milliseconds of judging claims after which what was found is acted on. */
const actEveryMs = 250;

/** An event that the node could not prove, and what it is where no proof will come. */
interface Pending {
  readonly log: Log;
  readonly claim?: ForgedClaim | undefined;
}

/** A block that was judged. */
type Anchor = BlockName & Pick<Header, "timestamp">;

/** Begins where the watch of this registry stood; for the first time, with the newest block. */
export async function openWatch(options: WatchOptions) {
  const { node, registry, keeper, isLocal, others } = options;
  const store = await followStore(options);
  const judge = claimJudge({ ...options, trail: options });
  const span = learnSpan();
  const budget = openBudget();
  const position = await begin(options);
  const findings = new Map(position.findings.map((each) => [keyOf(each), each]));
  /** The signers that were on the allowlist lately. */
  const signers = new Set(others);
  let hasSigners = false;
  /** The last block that was judged, after those that may still be undone. */
  let judged: Anchor = { ...position.confirmed, timestamp: 0 };
  let recent: Anchor[] = [];
  let pending: Pending[] = [];
  /** Since when the node lags behind an event, by the event's name; unix milliseconds. */
  let laggingSince = new Map<string, number>();
  /** Findings of blocks that are read again, because they were undone or the watch began anew. */
  const loose = new Set<string>();
  loosen();
  /** Until when the node is not asked for the events of all contracts, which it refuses. */
  let othersRefusedUntil = 0;
  let othersRefusals = 0;

  const isKnown = (address: string) => options.consumers.has(address) || store.known.consumers.has(address);

  function loosen(): void {
    for (const [key, { block }] of findings) if (block > judged.number) loose.add(key);
  }

  async function readSigners(at?: BlockName): Promise<string[]> {
    const place = at ?? demandHeader("latest", await readHeader(node, "latest"));
    const block = { block: place.number, blockHash: place.hash as `0x${string}` };
    const [answer] = await callAt(node, block, [signersCall(registry)]);
    if (answer?.success && answer.size >= 64) return decodeSigners(answer.data);
    if (at !== undefined) return [];
    throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
  }

  let confirmedAt = Number.NEGATIVE_INFINITY;
  let canConfirm = true;
  let confirmable: number | undefined;
  let hasReadConfirmed = false;
  /** Reads the newest block and, from time to time, the last that cannot be undone. */
  async function readHead(): Promise<Header> {
    const isDue = canConfirm && performance.now() - confirmedAt > confirmEveryMs;
    const [head, confirmed] = await Promise.all([
      readHeader(node, "latest"),
      isDue &&
        readHeader(node, options.confirm).catch((error: unknown) => {
          if (!(error instanceof ChainUnavailableError && error.refused)) throw error;
          canConfirm = false;
        }),
    ]);
    if (head === undefined) throw new ChainUnavailableError("The node has no latest block.");
    hasReadConfirmed = isDue;
    if (isDue) confirmedAt = performance.now();
    if (confirmed) confirmable = confirmed.number;
    return head;
  }

  /**
   * Checks that the newest block follows the last one that was judged. Where a reorganization has undone that, goes back to
   * the last block that is still there.
   *
   * @returns The newest headers, as many as are read one by one; `undefined` if there is no new block.
   */
  async function follow(head: Header): Promise<Header[] | undefined> {
    if (head.hash === judged.hash || head.number < judged.number) return undefined;
    const gap = head.number - judged.number;
    const most = hasReadConfirmed ? maxHeaders - 1 : maxHeaders;
    const first = Math.max(judged.number + 1, head.number - most + 1);
    const numbers = Array.from({ length: Math.max(0, head.number - first) }, (_, i) => first + i);
    const between = gap > most ? [judged.number, ...numbers.slice(1)] : numbers;
    const headers = [...(await readHeaders(node, between)), head];
    const before = gap > most ? headers.shift() : undefined;
    for (const [i, { parentHash }] of headers.entries()) {
      const parent = headers[i - 1];
      if (parent !== undefined && parent.hash !== parentHash) throw unlinked();
    }
    const parentHash = before?.hash ?? (gap > 0 ? headers[0]?.parentHash : undefined);
    if (parentHash !== judged.hash) return await goBack(head);
    return headers;
  }

  async function goBack(head: Header): Promise<Header[] | undefined> {
    const confirmed = { ...position.confirmed, timestamp: 0 };
    for (let left = recent.length - 1, step = 1; ; left -= step, step *= 2) {
      const anchor = recent[left] ?? confirmed;
      const header = demandHeader(anchor.number, await readHeader(node, anchor.number));
      if (header.hash === anchor.hash) {
        if (anchor.hash === judged.hash) throw unlinked();
        recent = recent.slice(0, Math.max(0, left + 1));
        judged = anchor;
        break;
      }
      if (anchor === confirmed) {
        throw new ChainUnavailableError(
          `The node says that block ${anchor.number} is ${header.hash}; it was ${anchor.hash} when it could be undone no more. Ask another node, or begin again with --from-block.`,
        );
      }
    }
    loosen();
    pending = pending.filter(({ log }) => log.block <= judged.number);
    return await follow(head);
  }

  /** Notes what was found. Returns whether that is news. */
  function note(found: Found): boolean {
    const key = keyOf(found);
    loose.delete(key);
    const known = findings.get(key);
    const isNews = known === undefined || (known.signer === unattributed && found.signer !== unattributed);
    if (isNews) findings.set(key, { ...found, foundAt: Date.now(), isTold: false });
    else findings.set(key, { ...known, block: found.block });
    return isNews;
  }

  /** Notes verdicts as they come, and acts on them without waiting for the others. */
  async function settle(verdicts: AsyncIterable<Verdict>): Promise<void> {
    let hasNews = false;
    let actedAt = Number.NEGATIVE_INFINITY;
    const cut: Log[] = [];
    try {
      for await (const verdict of verdicts) {
        if ("lags" in verdict) pend(verdict);
        else if ("isCut" in verdict) cut.push(verdict.log);
        else hasNews = note(verdict.claim) || hasNews;
        if (!hasNews || performance.now() - actedAt < actEveryMs) continue;
        await options.act();
        [hasNews, actedAt] = [false, performance.now()];
      }
    } finally {
      if (hasNews) await options.act();
      if (cut.length > 0)
        tellPart(cut, "Unknown contracts emitted more events than their share of the watch's time.");
    }
  }

  function pend({ log, claim }: Pending): void {
    if (pending.length >= maxFindings && !isKnown(log.address)) tellPart([log], "The node lags.");
    else pending.push({ log, claim });
    const name = nameOf(log);
    if (!laggingSince.has(name)) laggingSince.set(name, Date.now());
  }

  function tellPart(logs: readonly Pick<Log, "block" | "address">[], problem: string): void {
    const blocks = logs.map(({ block }) => block);
    const addresses = [...new Set(logs.map(({ address }) => address).filter(Boolean))].slice(0, 20);
    const [from, to] = [blocks.reduce((a, b) => Math.min(a, b)), blocks.reduce((a, b) => Math.max(a, b))];
    options.onPart({ from, to, addresses, problem });
  }

  /** Judges again the events that the node could not prove. */
  async function judgePending(): Promise<void> {
    if (pending.length === 0) return;
    const again = pending;
    const isOver = ({ log }: Pending) => Date.now() - (laggingSince.get(nameOf(log)) ?? 0) > maxLagMs;
    const [over, open] = [again.filter(isOver), again.filter((each) => !isOver(each)).map(({ log }) => log)];
    const times = new Map<string, number>();
    try {
      pending = [];
      await settle(
        judge.judgeKnown(
          open.filter(({ address }) => isKnown(address)),
          signers,
          times,
        ),
      );
      const unknown = open.filter(({ address }) => !isKnown(address));
      await budget.spend(() => settle(judge.judgeOthers(unknown, signers, times, budget)));
    } catch (error) {
      pending = again;
      throw error;
    }
    const unproven = over.flatMap(({ log, claim }) => (claim === undefined ? [log] : []));
    if (unproven.length > 0) tellPart(unproven, "The node never proved these events.");
    for (const { claim } of over) if (claim !== undefined) note(claim);
    if (over.length > 0) await options.act();
    const names = new Set(pending.map(({ log }) => nameOf(log)));
    laggingSince = new Map([...laggingSince].filter(([name]) => names.has(name)));
  }

  /** Notes the signers that were added or removed, and reports added ones that nobody has named or used. */
  async function noteChanges(changes: readonly Log[]): Promise<void> {
    const all = changes.map((log) => ({
      ...log,
      signer: checksumAddress(dataSlice(log.topics[1] ?? "", 12)),
    }));
    for (const { signer } of all) signers.add(signer);
    allowlist = undefined;
    const added = all.filter(({ topics }) => topics[0] === signerAdded);
    if (added.length === 0) return;
    const known = await options.readKnown();
    const unknown = added.filter(({ signer }) => !known.has(signer));
    if (unknown.length > 0) await store.refresh(true);
    for (const { signer, transactionHash, block } of unknown) {
      if (!store.known.signers.has(signer)) note({ kind: "stranger", signer, transactionHash, block });
    }
  }

  /** Reads the events of a range. One answer that is too large takes the whole batch with it: the last ones are left out. */
  async function readEach(filters: readonly Filter[], range: Range): Promise<RangeEvents> {
    try {
      return await readRange(node, filters, range);
    } catch (error) {
      const isSize = error instanceof ChainUnavailableError && error.limit === "size";
      if (!isSize || filters.length === 0) throw error;
      const { last, found } = await readEach(filters.slice(0, -1), range);
      return { last, found: [...found, error] };
    }
  }

  /** Reads and judges a range of blocks, whose last one may be named by its hash. */
  async function judgeRange(
    from: number,
    to: number,
    end: BlockId,
    newest: readonly Header[],
  ): Promise<Header> {
    const known = [
      ...options.consumers,
      ...[...store.known.consumers].filter((each) => !options.consumers.has(each)),
    ];
    const ofKnown = splitFilter({
      addresses: [registry, ...known],
      topics: [identityUsed, signerAdded, signerRemoved],
    });
    const ofAll: Filter = { topics: [identityUsed] };
    const wantsAll = performance.now() > othersRefusedUntil;
    const range = { from, to, end };
    const { last, found } = await readEach(wantsAll ? [...ofKnown, ofAll] : ofKnown, range);
    const times = new Map([...newest, last].map(({ hash, timestamp }) => [hash, timestamp]));
    const events: Log[] = [];
    for (const [i, filter] of ofKnown.entries()) {
      const logs = found[i];
      if (Array.isArray(logs)) events.push(...logs);
      else events.push(...(await readSplit(filter, logs as ChainUnavailableError, range)));
    }
    const changes = events.filter(
      ({ address, topics }) => address === registry && topics[0] !== identityUsed,
    );
    for (const { topics } of changes) signers.add(checksumAddress(dataSlice(topics[1] ?? "", 12)));
    const isClaim = ({ topics }: Log) => topics[0] === identityUsed && topics.length === 3;
    const claims = events.filter(isClaim);
    const named = claims.filter(({ address }) => options.consumers.has(address));
    await settle(judge.judgeKnown([...new Set([...named, ...claims])], signers, times));
    await noteChanges(changes);
    await options.act();
    const all = found[ofKnown.length];
    const read = wantsAll
      ? await budget.spend(() => judgeOthers(all as Log[] | ChainUnavailableError, range, times))
      : undefined;
    if (read === undefined) return last;
    const withEvents = new Set(read.map(({ block }) => block));
    for (const { block, topics } of events) if (topics[0] === identityUsed) withEvents.add(block);
    for (const header of newest) {
      const isUnseen = header.number >= from && header.number <= to && !withEvents.has(header.number);
      if (isUnseen) await demandNoEvents(node, header, known, budget);
    }
    return last;
  }

  /** Judges the events of contracts that nobody knows. Returns the events; `undefined` if not all were read. */
  async function judgeOthers(
    all: Log[] | ChainUnavailableError,
    { from, to, end }: Range,
    times: Map<string, number>,
  ): Promise<Log[] | undefined> {
    const logs = Array.isArray(all) ? all : await readOthers(from, to, end, all);
    if (logs !== undefined) othersRefusals = 0;
    const unknown = (logs ?? []).filter(({ address, topics }) => topics.length === 3 && !isKnown(address));
    try {
      await settle(judge.judgeOthers(unknown, signers, times, budget));
    } catch (error) {
      if (!(error instanceof ChainUnavailableError && error.refused)) throw error;
      tellPart(unknown, error.message);
    }
    return logs;
  }

  /** Reads the events of all contracts in a range that was too much for one answer: in halves, and from receipts. */
  async function readOthers(
    from: number,
    to: number,
    end: BlockId,
    reason: ChainUnavailableError,
  ): Promise<Log[] | undefined> {
    if (reason.limit !== "size" && !reason.refused) throw reason;
    const leave = (problem: string) => {
      tellPart(
        [
          { block: from, address: "" },
          { block: to, address: "" },
        ],
        problem,
      );
      return undefined;
    };
    if (!budget.hasTime() || !budget.takeCalls(3))
      return leave("One answer does not take all events of unknown contracts.");
    if (from === to) {
      if (reason.limit !== "size") {
        // One refusal may be a node's bad moment.
        if (++othersRefusals < maxRefusals) throw reason;
        othersRefusedUntil = performance.now() + maxLagMs;
        return leave(`Without the addresses of contracts, the node gives no events: ${reason.message}`);
      }
      const header = demandHeader(end, await readHeader(node, end));
      const logs = await readFromReceipts(node, header, budget);
      return logs ?? leave("The block has more events of unknown contracts than the node gives.");
    }
    const middle = Math.floor((from + to) / 2);
    const logs: Log[] = [];
    let isWhole = true;
    for (const range of [
      { from, to: middle, end: middle },
      { from: middle + 1, to, end },
    ]) {
      const { found } = await readEach([{ topics: [identityUsed] }], range);
      const part = found[0] as Log[] | ChainUnavailableError;
      const read = Array.isArray(part) ? part : await readOthers(range.from, range.to, range.end, part);
      logs.push(...(read ?? []));
      isWhole &&= read !== undefined;
    }
    return isWhole ? logs : undefined;
  }

  /** Reads the events of known contracts in a block that has too many for one answer: of half the contracts at a time. */
  async function readSplit(
    { addresses = [], topics }: Filter,
    reason: ChainUnavailableError,
    range: Range,
  ): Promise<Log[]> {
    if (range.from < range.to || reason.limit !== "size") throw reason;
    if (addresses.length <= 1) {
      const header = demandHeader(range.end, await readHeader(node, range.end));
      const logs = await readFromReceipts(node, header, budget, { addresses, topics });
      if (logs !== undefined) return logs;
      tellPart(
        [{ block: range.from, address: addresses[0] ?? "" }],
        "The block has more events of it than the node gives.",
      );
      return [];
    }
    const half = Math.ceil(addresses.length / 2);
    const logs: Log[] = [];
    for (const part of [addresses.slice(0, half), addresses.slice(half)]) {
      const filter = { addresses: part, topics };
      const { found } = await readEach([filter], range);
      const [read] = found;
      logs.push(
        ...(Array.isArray(read) ? read : await readSplit(filter, read as ChainUnavailableError, range)),
      );
    }
    return logs;
  }

  /** Moves the confirmed block on to the last that was judged and that neither the chain nor a lagging node can undo. */
  function confirm(head: Header): void {
    const first = pending.reduce((least, { log }) => Math.min(least, log.block), Number.POSITIVE_INFINITY);
    const isConfirmed = ({ number, timestamp }: Anchor) =>
      number < first &&
      (canConfirm ? number <= (confirmable ?? -1) : timestamp <= head.timestamp - confirmSeconds);
    const last = recent.findLast(isConfirmed);
    if (last === undefined) return;
    position.confirmed = { number: last.number, hash: last.hash };
    recent = recent.filter(({ number }) => number > last.number);
  }

  function save(): void {
    try {
      position.findings = [...findings.values()];
      keeper.write(position);
      options.onSaved(undefined);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      options.onSaved(error.message);
    }
  }

  /** Drops what is undone, and what is old or too much of its kind. */
  function tidy(head: Header): void {
    const isGone = (each: Finding) => loose.has(keyOf(each)) && each.block <= head.number;
    const isOld = ({ block, foundAt }: Finding) =>
      block <= position.confirmed.number && Date.now() - foundAt > findingTtlMs;
    const kinds = new Map<string, number>();
    for (const [key, each] of [...findings].reverse()) {
      const kind = each.signer === unattributed ? `${each.kind} ${unattributed}` : each.kind;
      const count = (kinds.get(kind) ?? 0) + 1;
      const isUndone = isGone(each);
      if (isUndone && each.isTold) options.onUndone(each);
      if (isUndone) loose.delete(key);
      if (isUndone || isOld(each) || count > maxFindings) findings.delete(key);
      else kinds.set(kind, count);
    }
  }

  /**
   * Judges all blocks after the last one that was judged, range by range: finds, acts, saves.
   *
   * @param readAhead How many seconds this machine's clock is ahead, as far as is known.
   * @throws ChainUnavailableError or InvalidInputError when it cannot go on. What was found until then stays.
   */
  async function look(readAhead: () => number): Promise<Header> {
    const head = await readHead();
    const newest = await follow(head);
    if (!hasSigners) {
      for (const signer of await readSigners(position.confirmed)) signers.add(signer);
      for (const signer of store.known.signers) signers.add(signer);
      hasSigners = true;
    }
    while (newest !== undefined && judged.number < head.number) {
      const from = judged.number + 1;
      const to = Math.min(head.number, from + span.next() - 1);
      let last: Header;
      try {
        last = await judgeRange(from, to, to === head.number ? (head.hash as `0x${string}`) : to, newest);
      } catch (error) {
        const isTooLong =
          error instanceof ChainUnavailableError && to > from && (error.limit === "size" || error.refused);
        if (!isTooLong) throw error;
        span.refuse(to - from + 1);
        continue;
      }
      span.take(to - from + 1);
      judged = { number: last.number, hash: last.hash, timestamp: last.timestamp };
      recent.push(judged);
      confirm(head);
      save();
      options.onJudged(last, head);
    }
    await judgePending();
    confirm(head);
    if (newest !== undefined) tidy(head);
    save();
    await store.refresh();
    demandNew(head, readAhead());
    return head;
  }

  function demandNew(head: Header, aheadSeconds: number): void {
    const age = readWallClock() - head.timestamp - aheadSeconds;
    if (isLocal || age <= maxAgeSeconds) return;
    throw new ChainUnavailableError(`The node lags: its latest block ${head.number} is ${age} s old.`);
  }

  let allowlist: readonly string[] | undefined;
  return {
    position,
    findings,
    look,
    save,
    /** Whether the node has not proved all events yet; those of known consumers, or of any. */
    isPending: (ofKnown: boolean) => pending.some(({ log }) => !ofKnown || isKnown(log.address)),
    /** Reads the signers on the allowlist now; those of the last reading if nothing has changed since. */
    async readAllowlist(isNew: boolean): Promise<readonly string[]> {
      if (allowlist === undefined || isNew) allowlist = await readSigners();
      return allowlist;
    },
  };
}

const unlinked = () =>
  new ChainUnavailableError("The node lags: its newest blocks do not follow each other.");

async function begin({ node, keeper, fromBlock }: WatchOptions): Promise<Position> {
  const kept = fromBlock === undefined ? keeper.read() : undefined;
  if (kept !== undefined) return kept;
  const before = fromBlock === undefined ? "latest" : Math.max(0, fromBlock - 1);
  const header = await readHeader(node, before);
  if (header === undefined) throw new InvalidInputError(`The node has no block ${before} yet.`);
  const { number, hash } = header;
  return { confirmed: { number, hash }, since: number + 1, findings: [] };
}
