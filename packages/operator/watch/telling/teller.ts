import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { KeyUnavailableError } from "@hardhat-identity/signer/keys";
import { withRemedy } from "@hardhat-identity/signer/settings";
import { StoreUnavailableError } from "@hardhat-identity/store/database/storeUnavailable";
import { isProven } from "../judging/findings.ts";
import type { Query } from "../reading/events.ts";
import type { Header } from "../reading/header.ts";
import type { WatchMetrics } from "./metrics.ts";
import {
  describeEvent,
  eventToJson,
  type JudgedInPart,
  type Trouble,
  type WatchEvent,
} from "./watchEvent.ts";
import { openWebhook } from "./webhook.ts";

/** Says in a sentence why the watch cannot judge or brake; any other error is a bug. */
export function describeTrouble(error: unknown): string | undefined {
  if (error instanceof ChainUnavailableError)
    return `The node (IDENTITY_RPC_URL): ${withRemedy(error.message, error.kind)}`;
  if (error instanceof KeyUnavailableError)
    return `The guardian's key (IDENTITY_GUARDIAN_KEY): ${error.message}.`;
  if (error instanceof StoreUnavailableError) return `The store (IDENTITY_DATABASE_URL): ${error.message}.`;
  return error instanceof InvalidInputError ? error.message : undefined;
}

/** Events that anybody can cause, or that are soon followed by another one, besides claims that nothing proves. */
const minor: ReadonlySet<string> = new Set(["judged-in-part", "catching-up"]);

/** The most characters that Discord takes. */
const maxContent = 2_000;

/** Milliseconds from one report of progress to the next. */
const progressEveryMs = 30_000;

/** Milliseconds from one report of blocks that were judged in part to the next. */
const partEveryMs = 10_000;

/** The problems of one trouble that are told: its texts may all differ, as with the ids of requests in them. */
const maxProblems = 10;

export type Teller = ReturnType<typeof openTeller>;

/**
 * Tells of what happens, also by a webhook, and how often something was told.
 *
 * @param options.consumers Those whose word proves a claim.
 * @param options.onProgress Called after each range with the last block that was judged, and the last one there is.
 */
export function openTeller(options: {
  readonly tell: (event: WatchEvent) => void;
  readonly onProgress: (judged: number, of: number) => void;
  readonly webhook: string | undefined;
  readonly metrics: WatchMetrics;
  readonly consumers: ReadonlySet<string>;
}) {
  const { metrics, consumers } = options;
  const isMinorEvent = (event: WatchEvent): boolean =>
    "finding" in event
      ? event.finding.kind !== "stranger" && !isProven(event.finding, consumers)
      : minor.has(event.event);
  const webhook =
    options.webhook === undefined
      ? undefined
      : openWebhook(options.webhook, (problem) => options.tell({ event: "cannot-post", problem }));
  /** The problems of each trouble that were told since it began. */
  const troubles = new Map<Trouble, Set<string>>();
  let part: JudgedInPart | undefined;
  let [partAt, progressAt] = [0, 0];

  /** @param onTaken Called when nothing waits for the webhook any more. */
  function tell(event: WatchEvent, onTaken?: () => void): void {
    options.tell(event);
    const isMinor = isMinorEvent(event);
    // A minor event may be left out, and is not worth a second try.
    const isAwaited = webhook !== undefined && !isMinor;
    if (!isAwaited) onTaken?.();
    const text = describeEvent(event, consumers);
    // Slack shows `text`, and Discord `content`.
    const posted = { ...eventToJson(event), text, content: text.slice(0, maxContent) };
    webhook?.send(posted, isMinor, isAwaited ? onTaken : undefined);
  }

  /** Tells of blocks that were judged in part, several of them together. */
  function tellPart(isLast = false): void {
    if (part === undefined || (!isLast && performance.now() < partAt)) return;
    metrics.judgedInPart.inc();
    tell({ event: "judged-in-part", ...part });
    [part, partAt] = [undefined, performance.now() + partEveryMs];
  }

  return {
    tell,
    tellPart,

    /** Tells of a trouble, until its end once for each problem that differs in more than its numbers. */
    trouble(event: Trouble, error: unknown): void {
      const problem = typeof error === "string" ? error : describeTrouble(error);
      if (problem === undefined) throw error;
      const sort = problem.replaceAll(/\d+/g, "0");
      const told = troubles.get(event) ?? new Set();
      troubles.set(event, told);
      if (told.has(sort) || told.size >= maxProblems) return;
      told.add(sort);
      tell({ event, problem });
    },

    /** Takes a trouble for over. Returns whether there was one. */
    endTrouble: (event: Trouble): boolean => troubles.delete(event),

    /** Notes that some events were not judged, and why. */
    notePart({ addresses = [], from, to }: Pick<Query, "addresses" | "from" | "to">, problem: string): void {
      const all = new Set((part?.addresses ?? []).concat(addresses));
      part = {
        from: Math.min(from, part?.from ?? from),
        to: Math.max(to, part?.to ?? to),
        addresses: [...all].slice(0, 20),
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
      tell({ event: "catching-up", block: last.number, of: head.number });
    },

    /** Waits for the webhook, so many milliseconds at most. */
    async end(ms: number): Promise<void> {
      tellPart(true);
      await webhook?.drain(ms);
    },
  };
}
