import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { within } from "@hardhat-identity/protocol/within";
import { openActing } from "./act.ts";
import { readerOfAll } from "./allContracts.ts";
import { followAllowlist, signerOf } from "./allowlist.ts";
import type { Brake } from "./brake.ts";
import { keepFindings } from "./judging/findings.ts";
import { followStore } from "./judging/followStore.ts";
import { type JudgeOptions, openJudge } from "./judging/judge.ts";
import { groups, keepOpenClaims } from "./openClaims.ts";
import type { Position, PositionKeeper } from "./position.ts";
import {
  identityUsed,
  type Log,
  type Query,
  readInParts,
  readLogs,
  requireBlocks,
  signerAdded,
  signerRemoved,
} from "./reading/events.ts";
import { followChain } from "./reading/follow.ts";
import { type Header, readHeader, requireHeader } from "./reading/header.ts";
import { isTooMuch } from "./reading/node.ts";
import { requireNoEvent } from "./reading/receipts.ts";
import { learnSpan } from "./reading/span.ts";
import type { WatchMetrics } from "./telling/metrics.ts";
import type { Teller } from "./telling/teller.ts";

export interface WatchOptions extends JudgeOptions {
  readonly keeper: PositionKeeper;
  readonly teller: Teller;
  readonly metrics: WatchMetrics;
  readonly openBrake: (() => Promise<Brake>) | undefined;
  /** The account that brakes, as far as is known. */
  readonly guardian: string | undefined;
  /** How many seconds this machine's clock is ahead of the node's, as far as is known. */
  readonly readAhead: () => number;
  /** The signers that may be added. */
  readonly readKnownSigners: () => Promise<ReadonlySet<string>>;
  /** The block that cannot be undone any more. */
  readonly confirm: "safe" | "finalized";
  /** The first block, instead of the one after the last that was judged. */
  readonly fromBlock: number | undefined;
}

/** Seconds that the newest block may be old before the node counts as one that lags. */
const maxAgeSeconds = 60;

/** Seconds that this machine's clock may be ahead of the node's. */
const maxAheadSeconds = 30;

/** Addresses in one query. */
const maxAddresses = 500;

const tooMany =
  "The service signed for more contracts than the watch asks for by address. The least recently used ones share the time of unknown contracts: name yours with --consumer.";

/** Milliseconds after which known consumers' events are asked for again, without what is asked of all contracts. */
const lateMs = 4_000;

/** Asks again where the node refuses the batch, or takes too long for it, because of what else is in it. */
async function askTwice<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  try {
    return await within(lateMs, first, () => new Error("It is late."));
  } catch {
    const second = ask();
    return await Promise.any([first, second]).catch(() => second);
  }
}

/**
 * Watches a registry from where its watch stood or, for the first time, from the newest block. Each look judges the blocks
 * after the last one that was judged, range by range: first the events of known consumers and of the registry, then, within
 * a share of the time, those of all other contracts.
 */
export async function openWatch(options: WatchOptions) {
  const { node, registry, keeper, consumers, teller } = options;
  // The registry and all known consumers are one query, unless the operator has named more.
  const maxConsumers = Math.max(0, maxAddresses - 1 - consumers.size);
  const store = await followStore({ ...options, maxConsumers });
  const allowlist = followAllowlist(options);
  const { judge, shareOfUnknown: share } = openJudge(options, allowlist.recent);
  const span = learnSpan();
  const position = await begin(options);
  const chain = followChain(node, position.confirmed, options.confirm);
  const findings = keepFindings(
    position.findings,
    (finding) => teller.tell({ event: "undone", finding }),
    consumers,
  );
  findings.loosen(position.confirmed.number);
  const act = openActing({ ...options, all: findings.all, readAllowlist: allowlist.read });
  const claims = keepOpenClaims({ judge, consumers, used: store.consumers, findings, teller, act });
  const ofAll = readerOfAll({ node, share, teller });
  teller.tell({
    event: "watching",
    registry,
    from: position.confirmed.number + 1,
    ...(options.guardian && { guardian: options.guardian }),
  });

  /** Reports the signers that were added, and that nobody has named or used. */
  async function reportStrangers(changes: readonly Log[]): Promise<void> {
    if (changes.length === 0) return;
    const known = await options.readKnownSigners();
    const unknown = changes.filter((log) => log.topics[0] === signerAdded && !known.has(signerOf(log)));
    if (unknown.length > 0) await store.refresh(true);
    for (const log of unknown) {
      const { transactionHash, block } = log;
      const signer = signerOf(log);
      if (!store.signers.has(signer)) findings.note({ kind: "stranger", signer, transactionHash, block });
    }
    await act();
  }

  /** Reads the events of the registry and of known consumers, of so many of them at a time. */
  async function* readKnownEvents(range: Pick<Query, "from" | "to" | "end">, known: ReadonlySet<string>) {
    const topics = [identityUsed, signerAdded, signerRemoved];
    const limits = { share, named: new Set([registry, ...consumers]), onLeft: teller.notePart };
    for (let at = 0; at < known.size; at += maxAddresses) {
      const part = { ...range, topics, addresses: [...known].slice(at, at + maxAddresses) };
      const first = askTwice(() => readLogs(node, part));
      yield await readInParts(node, part, limits, first);
    }
  }

  const isChange = ({ address, topics }: Log) =>
    address === registry && topics[0] !== identityUsed && topics.length === 2;

  /** Reads and judges a range of blocks. */
  async function judgeRange(range: Pick<Query, "from" | "to" | "end">, newest: readonly Header[]) {
    const known = new Set([registry, ...consumers, ...store.consumers.keys()]);
    const query: Query = { ...range, topics: [identityUsed] };
    // Asked for now, read further down: they go out in one batch with the first query of known contracts.
    const end = askTwice(() => requireHeader(node, range.end));
    const asked = ofAll.ask(query);
    void Promise.allSettled([end, asked]);
    let events: Log[] = [];
    for await (const part of readKnownEvents(range, known)) {
      const headers = newest.concat(await end);
      requireBlocks(part, headers);
      allowlist.note(part.filter(isChange));
      claims.add(part, headers);
      // Anybody can make other consumers known, which wait.
      await claims.settle("named");
      events = events.concat(part);
    }
    await claims.settle("known");
    await reportStrangers(events.filter(isChange));
    const last = await end;
    const headers = newest.concat(last);
    const all = asked && (await ofAll.read(query, asked));
    requireBlocks(all ?? [], headers);
    const others = (all ?? []).filter(({ address }) => !known.has(address));
    if (store.isCut() && (all === undefined || others.length > 0))
      teller.notePart({ ...range, addresses: others.map(({ address }) => address) }, tooMany);
    claims.add(others, headers);
    await claims.settle("unknown");
    if (all === undefined) return last;
    const seen = new Set(events.concat(all).map(({ block }) => block));
    const isSilent = ({ number }: Header) => number >= range.from && number <= range.to && !seen.has(number);
    for (const header of newest.filter(isSilent)) await requireNoEvent(node, header, identityUsed, share);
    return last;
  }

  /** Keeps the position, if it can, with the confirmed block moved on, but not past a claim that waits. */
  function save(head: Header): boolean {
    chain.confirm(head, claims.firstBlock());
    const confirmed = chain.confirmed();
    findings.tidy(chain.judged(), confirmed.number);
    try {
      keeper.write({ confirmed, findings: findings.all() });
      teller.endTrouble("cannot-save");
      return true;
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      teller.trouble("cannot-save", error);
      return false;
    }
  }

  /** Judges the blocks up to the newest one, range by range. */
  async function judgeTo(head: Header, newest: readonly Header[]): Promise<void> {
    while (chain.judged() < head.number) {
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
        // Some nodes say of a range that is too long what they say of too many questions (-32005).
        const isLimit =
          error instanceof ChainUnavailableError && (error.limit === "time" || error.limit === "rate");
        if (to === from || !(isLimit || isTooMuch(error))) throw error;
        if (isLimit) span.fail(to - from + 1);
        else span.refuse(to - from + 1);
      }
    }
  }

  /**
   * Judges all blocks after the last one that was judged, range by range: finds, acts, saves.
   *
   * @returns The newest block.
   * @throws ChainUnavailableError or InvalidInputError when it cannot go on. Earlier findings stay.
   */
  async function look(): Promise<Header> {
    const former = chain.judged();
    const { head, newest } = await chain.readNew();
    const judged = chain.judged();
    if (judged < former) {
      findings.loosen(judged);
      claims.dropAfter(judged);
    }
    await allowlist.begin(chain.confirmed(), store.signers);
    if (newest.length > 0) await judgeTo(head, newest);
    else for (const group of groups) await claims.settle(group);
    save(head);
    await store.refresh();
    checkTimes(options, head);
    // Even without a new block: a removal may have to be sent again.
    await act();
    await allowlist.read(false);
    teller.tellPart();
    return head;
  }

  return {
    /** The first block to judge. */
    from: position.confirmed.number + 1,
    act,
    look,
    save,
    /** Reads all of the audit trail, however long it is. */
    readTrail: () => store.refresh(true),
    giveUp: claims.giveUp,
    isWaiting: claims.isWaiting,
  };
}

async function begin({ node, keeper, fromBlock }: WatchOptions): Promise<Position> {
  const kept = fromBlock === undefined ? keeper.read() : undefined;
  if (kept !== undefined) {
    const findings = kept.findings.map((each) => ({ ...each, isTold: each.isTold && !each.isPosting }));
    return { ...kept, findings };
  }
  const before = fromBlock === undefined ? "latest" : Math.max(0, fromBlock - 1);
  const header = await readHeader(node, before);
  if (header === undefined) throw new InvalidInputError(`The node has no block ${before} yet.`);
  const { number, hash } = header;
  return { confirmed: { number, hash }, findings: [] };
}

/**
 * Checks that the newest block is new, and that this machine's clock is right.
 *
 * @throws ChainUnavailableError when the node lags.
 */
function checkTimes({ isLocal, readAhead, metrics, teller }: WatchOptions, head: Header): void {
  const ahead = readAhead();
  // A proxy's own clock may be ahead, which makes no block older.
  const age = readWallClock() - head.timestamp - Math.max(0, ahead);
  if (!isLocal && age > maxAgeSeconds)
    throw new ChainUnavailableError(`The node lags: its latest block ${head.number} is ${age} s old.`);
  // Before the first new block, too: 0 would page at each start.
  metrics.judged.set(head.timestamp);
  const problem = `This machine's clock is ${ahead} s ahead of the node's. Synchronize it (NTP).`;
  if (isLocal || ahead <= maxAheadSeconds) teller.endTrouble("clock-ahead");
  else teller.trouble("clock-ahead", problem);
}
