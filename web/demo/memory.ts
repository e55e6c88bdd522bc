import { browserMemory, tabMemory } from "../shared/storage.ts";
import type { Step } from "./claim.ts";
import type { TryName } from "./tries.ts";

/** What the demo keeps of one chain, in this tab: it is still there after the verify page, and after a reload. */
export interface Memory {
  /** Tries that ended, and whether as they should. */
  readonly tries: Readonly<Partial<Record<TryName, "expected" | "otherwise">>>;
  /** The identity hash with which a try let somebody in. */
  readonly admitted: Readonly<Partial<Record<TryName, string>>>;
  /** How often the story was begun: it decides the wallets. */
  readonly round: number;
  /** Contracts that were opened since the chain started: name → address. */
  readonly opened: Readonly<Record<string, string>>;
  /** What is chosen for a claim of one's own. */
  readonly own: OwnChoice;
  /** Whether the part for developers is open. */
  readonly isDeveloping: boolean;
}

export interface OwnChoice {
  /** Name of the consumer. */
  readonly consumer?: string | undefined;
  /** The wallet's name among wallets (`rdns`). */
  readonly wallet?: string | undefined;
  readonly account?: string | undefined;
}

/** Whose claim the person left for the verify page, and why. */
export interface Departure {
  readonly claim: TryName | "own";
  readonly code: string;
  /** What had been done by then. */
  readonly steps: readonly Step[];
}

/** What the verify page says of a person who comes back. */
export interface Return extends Departure {
  readonly succeeded: boolean;
  readonly error: string | undefined;
}

const empty: Memory = { tries: {}, admitted: {}, round: 0, opened: {}, own: {}, isDeveloping: false };
const departureKey = "departure";
const usedKey = "demo-used";

/**
 * @param chain What tells this chain from one that was started before.
 * @returns Nothing in a tab that has not had the demo of this chain.
 */
export function recall(chain: string): Memory | undefined {
  const memory = read<Partial<Memory>>(`demo-${chain}`);
  return memory && { ...empty, ...memory };
}

/** The memory of a new tab. */
export const begin = (round: number): Memory => ({ ...empty, round });

export function remember(chain: string, memory: Memory): void {
  tabMemory.write(`demo-${chain}`, JSON.stringify(memory));
  if (Object.keys(memory.tries).length === 0) return;
  browserMemory.write(usedKey, JSON.stringify({ chain, round: memory.round }));
}

/** The round of a new tab: another one may have proven accounts for the wallets of those before. */
export function firstRound(chain: string): number {
  const used = read<{ chain: string; round: number }>(usedKey, browserMemory);
  return used?.chain === chain ? used.round + 1 : 0;
}

/** The verify page's address, with a `state` of this tab's. */
export function leaveFor(verifyUrl: string, departure: Departure): string {
  const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
  tabMemory.write(departureKey, JSON.stringify({ ...departure, state }));
  const url = new URL(verifyUrl);
  url.searchParams.set("state", state);
  return url.href;
}

/**
 * How the person came back from the verify page; nothing when somebody else sent them, for then the state is another. It
 * is told once: a reload does not claim again.
 */
export function readReturn(): Return | undefined {
  const query = new URLSearchParams(location.search);
  const departure: (Departure & { state: string }) | undefined = read(departureKey);
  tabMemory.write(departureKey, undefined);
  if (query.size > 0) history.replaceState(null, "", location.pathname);
  if (departure === undefined) return undefined;
  const { claim, code, steps } = departure;
  // The browser's Back leads here, too.
  if (query.size === 0) return { claim, code, steps, succeeded: false, error: "cancelled" };
  if (query.get("state") !== departure.state) return undefined;
  return {
    claim,
    code,
    steps,
    succeeded: query.get("success") === "true",
    error: query.get("error") ?? undefined,
  };
}

function read<Kept>(key: string, memory = tabMemory): Kept | undefined {
  try {
    return JSON.parse(memory.read(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
