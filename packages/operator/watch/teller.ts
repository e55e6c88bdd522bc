import type { Finding, Found } from "./finding.ts";
import type { Header } from "./header.ts";
import type { WatchMetrics } from "./metrics.ts";
import type { Filter, Range } from "./readEvents.ts";
import { openWebhook } from "./webhook.ts";

/** A report of a running watch. */
export type WatchEvent =
  | {
      readonly event: "watching";
      readonly registry: string;
      readonly from: number;
      readonly guardian?: string;
    }
  | { readonly event: "forged" | "unproven" | "stranger" | "undone"; readonly finding: Finding }
  | ({ readonly event: "judged-in-part" } & JudgedInPart)
  | { readonly event: Trouble; readonly problem: string }
  | { readonly event: "judges-again"; readonly block: number }
  | { readonly event: "catching-up"; readonly block: number; readonly of: number }
  | {
      readonly event: "brake-sent";
      readonly signers: readonly string[];
      readonly transactions: readonly string[];
    }
  | { readonly event: "removed"; readonly signer: string };

/** A problem that keeps a watch from its work. */
type Trouble = "cannot-judge" | "cannot-brake" | "cannot-save" | "cannot-post" | "clock-ahead";

/** Blocks of which some events could not be judged. */
export interface JudgedInPart {
  readonly from: number;
  readonly to: number;
  /** The contracts, at most twenty; none where the node gave no events. */
  readonly addresses: readonly string[];
  readonly problem: string;
}

/** A finding as scripts get it. */
export function findingToJson(finding: Found): object {
  const { signer, transactionHash, block } = finding;
  if (finding.kind === "stranger") return { signer, transactionHash, block };
  const { consumer, round, identityHash } = finding;
  return { consumer, round, identityHash, transactionHash, signer, block };
}

/** An event as scripts and a webhook get it. */
export const eventToJson = (event: WatchEvent): object => ({
  time: new Date().toISOString(),
  ...("finding" in event ? { event: event.event, ...findingToJson(event.finding) } : event),
});

/** Milliseconds from one report of progress, or of blocks that were judged in part, to the next. */
const [progressEveryMs, partEveryMs] = [30_000, 10_000];

export type Teller = ReturnType<typeof openTeller>;

/**
 * Tells of what happens, also by a webhook, and how often something was told.
 *
 * @param options.onProgress Called after each range with the last block that was judged, and the last one there is.
 */
export function openTeller(options: {
  readonly tell: (event: WatchEvent) => void;
  readonly onProgress: (judged: number, of: number) => void;
  readonly webhook: string | undefined;
  readonly metrics: WatchMetrics;
}) {
  const { metrics } = options;
  const webhook =
    options.webhook === undefined
      ? undefined
      : openWebhook(options.webhook, (problem) => options.tell({ event: "cannot-post", problem }));
  const troubles = new Map<Trouble, string>();
  let part: JudgedInPart | undefined;
  let partToldAt = Number.NEGATIVE_INFINITY;
  let progressAt = 0;

  /** The one that a webhook is told of may be minor: anybody can cause it. */
  function tell(event: WatchEvent, isMinor = false): void {
    options.tell(event);
    webhook?.send(eventToJson(event), isMinor);
  }

  /** Tells of blocks that were judged in part, several of them together. */
  function tellPart(isLast = false): void {
    if (part === undefined || (!isLast && performance.now() - partToldAt < partEveryMs)) return;
    metrics.judgedInPart.inc();
    tell(Object.assign({ event: "judged-in-part" as const }, part), true);
    [part, partToldAt] = [undefined, performance.now()];
  }

  return {
    tell,
    tellPart,

    /** Tells of a trouble, once until it changes. Without a problem, it is over; returns whether there was one. */
    trouble(event: Trouble, problem: string | undefined): boolean {
      const former = troubles.get(event);
      if (problem === undefined) return troubles.delete(event);
      troubles.set(event, problem);
      if (problem !== former) tell({ event, problem });
      return former !== undefined;
    },

    /** Notes that some events were not judged, and why. */
    notePart(
      { addresses = [] }: Pick<Filter, "addresses">,
      { from, to }: Pick<Range, "from" | "to">,
      problem: string,
    ): void {
      part = {
        from: Math.min(from, part?.from ?? from),
        to: Math.max(to, part?.to ?? to),
        addresses: [...new Set([part?.addresses ?? [], addresses].flat())].slice(0, 20),
        problem,
      };
    },

    /** Tells from time to time how far a watch is that catches up. */
    progress(last: Header, head: Header): void {
      metrics.judged.set(last.timestamp);
      options.onProgress(last.number, head.number);
      tellPart();
      if (last.number === head.number || performance.now() < progressAt) return;
      progressAt = performance.now() + progressEveryMs;
      tell({ event: "catching-up", block: last.number, of: head.number }, true);
    },

    /** Waits for the webhook, so many milliseconds at most. */
    async end(ms: number): Promise<void> {
      tellPart(true);
      await webhook?.drain(ms);
    },
  };
}
