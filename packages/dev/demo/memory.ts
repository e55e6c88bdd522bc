import { browserMemory, tabMemory } from "@hardhat-identity/verify-page/shared/storage";
import { type Demo, emptyDemo, type Phase } from "./state.ts";

const usedKey = "demo-used";

/**
 * @param chain The chain's genesis hash, from `readGenesis`.
 * @returns `undefined` if this tab has not shown this chain's demo.
 */
export function recall(chain: string): Demo | undefined {
  const kept = read<Partial<Demo>>(`demo-${chain}`, tabMemory);
  if (kept === undefined) return undefined;
  const demo = { ...emptyDemo, ...kept };
  // Nobody has seen how a claim went on that was under way, and what has failed may be tried again.
  const failed = ["trouble", "failed", "elsewhere"];
  const isKept = ([, phase]: [string, Phase]) =>
    phase.name === "ended"
      ? !failed.includes(phase.outcome.kind)
      : phase.name === "proving" && phase.state !== undefined;
  const claims = Object.fromEntries(Object.entries(demo.claims).filter(isKept));
  const film = demo.film === "none" ? "none" : "over";
  return { ...demo, claims, film, isReturn: false, isReset: false };
}

export function remember(chain: string, demo: Demo): void {
  tabMemory.write(`demo-${chain}`, JSON.stringify(demo));
  if (Object.keys(demo.claims).length === 0) return;
  browserMemory.write(usedKey, JSON.stringify({ chain, round: demo.round }));
}

/** The round of a new tab: another one may have proven accounts for the wallets of those before. */
export function firstRound(chain: string): number {
  const used = read<{ chain: string; round: number }>(usedKey, browserMemory);
  return used?.chain === chain ? used.round + 1 : 0;
}

function read<Kept>(key: string, memory: typeof tabMemory): Kept | undefined {
  try {
    return JSON.parse(memory.read(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
