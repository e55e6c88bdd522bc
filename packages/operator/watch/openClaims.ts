import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Findings } from "./judging/findings.ts";
import type { Judge, Verdict } from "./judging/judge.ts";
import { identityUsed, type Log, nameOf } from "./reading/events.ts";
import type { Header } from "./reading/header.ts";
import type { Teller } from "./telling/teller.ts";

/** Milliseconds for which the node may fail to prove a claim. */
const maxLagMs = 600_000;

/** Milliseconds of judging claims after which the watch acts on its findings. */
const actEveryMs = 250;

/** The most events that wait for a proof, besides those of consumers that the operator named. */
const maxWaiting = 2_000;

/** Groups of consumers, in the order in which their claims are judged: those that the operator named come first. */
export const groups = ["named", "known", "unknown"] as const;
type Group = (typeof groups)[number];

/** Keeps the claims that were read and have no verdict yet. A claim waits until the node proves what it is. */
export function keepOpenClaims(options: {
  readonly judge: Judge;
  /** Consumers that the operator named. */
  readonly consumers: ReadonlySet<string>;
  /** Consumers for which a service has signed, or whose policy it has pinned: the last ones. */
  readonly used: Pick<ReadonlySet<string>, "has">;
  readonly findings: Findings;
  readonly teller: Teller;
  /** Acts on all findings so far. */
  readonly act: () => Promise<void>;
}) {
  const { judge, consumers, used, findings, teller, act } = options;
  let open = new Map<string, Log>();

  function groupOf({ address }: Log): Group {
    if (consumers.has(address)) return "named";
    return used.has(address) ? "known" : "unknown";
  }

  /** Judges the claims of a group, and notes each finding as it comes: acting on one waits for no other. */
  async function settle(group: Group): Promise<void> {
    const areKnown = group !== "unknown";
    const all = [...open.values()].filter((log) => groupOf(log) === group);
    if (all.length === 0) return;
    const lagging = new Set<Log>();
    let others = 0;
    let actAt = 0;
    const note = ({ kind, log, claim }: Verdict) => {
      const isOver = performance.now() - log.readAt > maxLagMs;
      const mayBeProved = kind === "lagging" && !isOver;
      if (claim !== undefined && !mayBeProved) return findings.note(claim);
      findings.keep(log);
      const mayWait = mayBeProved && (consumers.has(log.address) || ++others <= maxWaiting);
      if (mayWait) return void lagging.add(log);
      teller.notePart(
        { addresses: [log.address], from: log.block, to: log.block },
        kind === "lagging" && isOver
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
      for (const log of all) note({ kind: "lagging", log });
    } finally {
      await act();
    }
    for (const log of all) if (!lagging.has(log)) open.delete(nameOf(log));
  }

  return {
    /** Adds the claims among events, with the times of those blocks that were read. */
    add(events: readonly Log[], headers: readonly Header[]): void {
      const times = new Map(headers.map(({ hash, timestamp }) => [hash, timestamp]));
      for (const log of events) {
        const name = nameOf(log);
        if (log.topics[0] !== identityUsed || log.topics.length !== 3 || open.has(name)) continue;
        log.time = times.get(log.blockHash);
        open.set(name, log);
      }
    },

    settle,

    /**
     * Gives up what waits in old blocks, except at consumers that the operator named, and tells of the rest: the next watch
     * judges it again.
     */
    async giveUp(head: Header): Promise<void> {
      const waiting = () => [...open.values()].filter(({ address }) => !consumers.has(address));
      for (const log of waiting())
        if (head.timestamp - (log.time ?? head.timestamp) > maxLagMs / 1_000)
          log.readAt = Number.NEGATIVE_INFINITY;
      for (const group of groups) await settle(group);
      for (const { address, block } of waiting())
        teller.notePart(
          { addresses: [address], from: block, to: block },
          "The node does not prove these events.",
        );
    },

    /** Drops the claims after a block: a reorganization has undone it. */
    dropAfter(judged: number): void {
      open = new Map([...open].filter(([, { block }]) => block <= judged));
    },

    /** The first block with a claim that waits; infinity without one. */
    firstBlock: (): number =>
      [...open.values()].reduce((first, { block }) => Math.min(first, block), Number.POSITIVE_INFINITY),

    /** Whether claims wait at consumers that the operator named, or at any. */
    isWaiting: (at: "named" | "any"): boolean =>
      [...open.values()].some(({ address }) => at === "any" || consumers.has(address)),
  };
}
