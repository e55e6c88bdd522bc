import { readWallClock } from "../../../chain/clock.ts";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import type { StoreAccess } from "../database/properties.ts";
import { readChanges, readSigners } from "./allowlist.ts";
import { blockChecker } from "./checkBlocks.ts";
import { findUsedSigners } from "./findEntries.ts";
import { type Finding, type ForgedClaim, keyOf, type Stranger } from "./finding.ts";
import { type Header, readHeader } from "./header.ts";
import { claimJudge, identityUsed } from "./judgeClaims.ts";
import type { Position, PositionKeeper } from "./position.ts";
import { type Log, logReader } from "./readLogs.ts";

export interface WatchOptions extends StoreAccess {
  readonly chain: Chain;
  readonly chainId: number;
  readonly registry: string;
  readonly curve: Curve;
  readonly keeper: PositionKeeper;
  /** Whether the node is a local one, whose clock may be anywhere. */
  readonly isLocal: boolean;
  /** The signers that may be added. */
  readonly readKnown: () => Promise<ReadonlySet<string>>;
  /** The signers of other services, whose claims are left alone. */
  readonly others: ReadonlySet<string>;
  /** The first block, instead of the one after the last that was judged. */
  readonly fromBlock: number | undefined;
  /** Called after each range with the last block that was judged, and the last one there is. */
  readonly onProgress: (judged: number, of: number) => void;
}

/** The result of a look at the chain. */
export interface Look {
  /** The newest block, which is judged, too. */
  readonly head: Header;
  /** The findings that somebody was told of, and that a reorganisation has undone. */
  readonly undone: readonly Finding[];
  readonly allowlist: readonly string[];
}

/** Seconds that the newest block may be old before the node counts as one that lags. */
const maxAgeSeconds = 60;

/** Blocks behind the newest that count as safe where a node knows no safe block. */
const depthOfSafety = 128;

/** Milliseconds for which a finding is kept, and the greatest number of them. */
const [findingTtlMs, maxFindings] = [86_400_000, 10_000];

/** Begins where the watch of this registry stood; for the first time, with the newest block. */
export async function openWatch(options: WatchOptions) {
  const { chain, registry, keeper, isLocal, others } = options;
  const readLogs = logReader(chain);
  const checkBlocks = blockChecker(chain, identityUsed);
  const claims = claimJudge({ ...options, trail: options });
  /** The signers that were on the allowlist lately. */
  const signers = new Set(others);
  const position = await begin(options);

  /** Reads the newest block and the last that cannot be undone, from a node that still has what was confirmed. */
  async function readEnds(): Promise<{ head: Header; safe: number }> {
    const node = chain.open();
    const { number, hash } = position.confirmed;
    const [head, safe, confirmed] = await Promise.all([
      readHeader(node, "latest"),
      readHeader(node, "safe").catch((error: unknown) => {
        if (error instanceof ChainUnavailableError && error.refused) return undefined;
        throw error;
      }),
      readHeader(node, number),
    ]);
    if (head === undefined) throw new ChainUnavailableError("The node has no latest block.");
    const age = readWallClock() - head.timestamp;
    if (!isLocal && age > maxAgeSeconds) {
      throw new ChainUnavailableError(`The node lags: its latest block ${head.number} is ${age} s old.`);
    }
    if (confirmed === undefined) {
      throw new ChainUnavailableError(`The node lags: it has no block ${number}, which was judged before.`);
    }
    if (confirmed.hash !== hash) {
      throw new ChainUnavailableError(
        `The node says that block ${number} is ${confirmed.hash}; it was ${hash} when it could be undone no more. Ask another node, or begin again with --from-block.`,
      );
    }
    return { head, safe: Math.min(head.number, safe?.number ?? Math.max(0, head.number - depthOfSafety)) };
  }

  /** Finds the added signers that nobody has named or used, and notes all as signers of claims. */
  async function findStrangers(from: number, to: number): Promise<Stranger[]> {
    const changes = await readChanges(readLogs, registry, from, to);
    for (const { signer } of changes) signers.add(signer);
    const added = changes.filter(({ isAdded }) => isAdded);
    const known = added.length === 0 ? new Set() : await options.readKnown();
    const unknown = added.filter(({ signer }) => !known.has(signer));
    const used = unknown.length === 0 ? new Set() : await findUsedSigners(options);
    return unknown
      .filter(({ signer }) => !used.has(signer))
      .map(({ signer, transactionHash, block }) => ({ kind: "stranger", signer, transactionHash, block }));
  }

  /**
   * Judges all blocks after the last confirmed one, up to the newest: those that are not safe yet are read again each
   * time, so that nothing is missed and a reorganisation undoes what it undid.
   *
   * @throws ChainUnavailableError or InvalidInputError when it cannot judge. Nothing is undone then.
   */
  async function look(): Promise<Look> {
    const allowlist = await readSigners(chain.open(), registry);
    for (const signer of allowlist) signers.add(signer);
    const { head, safe } = await readEnds();
    const first = position.confirmed.number + 1;
    const found: (ForgedClaim | Stranger)[] = await findStrangers(first, head.number);
    for (const stranger of found) add(stranger, stranger.block <= safe);

    async function* judge(from: number, to: number) {
      for await (const { from: start, last, logs } of readLogs({ topics: [identityUsed] }, from, to)) {
        await checkBlocks(start, last.number, head.number, new Set(logs.map(({ block }) => block)));
        const forged = await claims.judge(logs, signers);
        found.push(...forged);
        yield { last, logs, forged };
        options.onProgress(last.number, head.number);
      }
    }

    for await (const { last, forged } of judge(first, safe)) {
      for (const each of forged) add(each, true);
      position.confirmed = { number: last.number, hash: last.hash };
      claims.keep([]);
      saveProgress();
    }
    const tentative: Log[] = [];
    for await (const { logs, forged } of judge(position.confirmed.number + 1, head.number)) {
      for (const each of forged) add(each, false);
      tentative.push(...logs);
    }
    claims.keep(tentative);
    return { head, undone: dropGone(found, head.number), allowlist };
  }

  let saved = performance.now();
  /** A catch-up that is killed goes on from there. */
  function saveProgress(): void {
    if (performance.now() - saved < 1_000) return;
    keeper.write(position);
    saved = performance.now();
  }

  function add(each: ForgedClaim | Stranger, isConfirmed: boolean): void {
    const known = position.findings.find((finding) => keyOf(finding) === keyOf(each));
    if (known !== undefined) known.isConfirmed = isConfirmed;
    else position.findings.push({ ...each, foundAt: Date.now(), isConfirmed, isTold: false });
  }

  /** Drops what is not there any more in blocks that the node has, and what is old. Returns what somebody was told of. */
  function dropGone(found: readonly (ForgedClaim | Stranger)[], head: number): Finding[] {
    const there = new Set(found.map(keyOf));
    const isGone = (each: Finding) => !each.isConfirmed && each.block <= head && !there.has(keyOf(each));
    const isOld = (each: Finding) =>
      each.isConfirmed && each.isTold && Date.now() - each.foundAt > findingTtlMs;
    const undone = position.findings.filter(isGone);
    position.findings = position.findings.filter((each) => !isGone(each) && !isOld(each)).slice(-maxFindings);
    return undone.filter(({ isTold }) => isTold);
  }

  return { position, look, save: () => keeper.write(position) };
}

async function begin({ chain, keeper, fromBlock }: WatchOptions): Promise<Position> {
  const kept = fromBlock === undefined ? keeper.read() : undefined;
  if (kept !== undefined) return kept;
  const before = fromBlock === undefined ? "latest" : Math.max(0, fromBlock - 1);
  const header = await readHeader(chain.open(), before);
  if (header === undefined) throw new InvalidInputError(`The node has no block ${before} yet.`);
  const { number, hash } = header;
  return { confirmed: { number, hash }, since: number + 1, findings: [] };
}
