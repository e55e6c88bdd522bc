import { useRef, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { claim, type Outcome, type Step, type Wait } from "./claim.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import type { Return } from "./memory.ts";
import { isStory, type TryName } from "./tries.ts";

/** Which claim: one of the story, or the person's own. */
export type ClaimName = TryName | "own";

/** A claim to go through. */
export interface Order {
  readonly name: ClaimName;
  /** The consumer, which may have to be opened first. */
  readonly open: () => Promise<Consumer>;
  readonly account: string;
  readonly wallet: Eip1193Connection;
  /** Whether the block is held back. */
  readonly holds: boolean;
  /** How the verify page sent the person back for it, where they have just been there. */
  readonly back: Return | undefined;
}

/** The claim that is under way, or was the last one. */
export interface Run {
  readonly name: ClaimName;
  /** Whether the person has just come back from the verify page for it. */
  readonly isReturn: boolean;
  readonly steps: readonly Step[];
  readonly wait: Wait | undefined;
  readonly outcome: Outcome | undefined;
}

/** Whether a claim goes on by a button of its own, which is then the one to press. */
export const asksPerson = (run: Run | undefined): boolean =>
  run?.outcome?.kind === "redirect" || waitsForBlock(run);

/** Whether a claim waits for a block, which the person may have mined. */
export const waitsForBlock = (run: Run | undefined): boolean =>
  run?.wait === "held" || run?.wait === "interval";

export interface Runs {
  readonly run: Run | undefined;
  /** The last one of the story, which stays in sight while developers try more. */
  readonly told: Run | undefined;
  /** Whether a claim waits for something that nobody can hurry, so that no other is begun. */
  readonly isBusy: boolean;
  readonly start: (order: Order) => Promise<void>;
  /** Has the block mined that a claim waits for, if one does. */
  readonly release: () => void;
  /** Forgets the last claim, unless it is of the story. */
  readonly clear: () => void;
  readonly clearAll: () => void;
}

/** Goes through claims, one at a time: whoever starts another one lets go of a block that is held back first. */
export function useRuns(
  config: DemoConfig,
  node: Eip1193Connection,
  onOutcome: (name: ClaimName, outcome: Outcome) => void,
): Runs {
  const [run, setRun] = useState<Run>();
  const [told, setTold] = useState<Run>();
  const under = useRef<Promise<void> | undefined>(undefined);
  const letGo = useRef<(() => void) | undefined>(undefined);
  const release = () => letGo.current?.();

  async function go({ name, open, account, wallet, holds, back }: Order): Promise<void> {
    const isReturn = back !== undefined;
    const shown = isStory(name) ? [setRun, setTold] : [setRun];
    for (const set of shown)
      set({ name, isReturn, steps: back?.steps ?? [], wait: "service", outcome: undefined });
    const change = (write: (run: Run) => Partial<Run>) => {
      for (const set of shown) set((before) => before && { ...before, ...write(before) });
    };
    const untilMined = () =>
      new Promise<void>((resolve) => {
        letGo.current = resolve;
      });
    let outcome: Outcome;
    try {
      const consumer = await open();
      outcome = await claim({
        ...{ config, node, consumer, account, wallet },
        onStep: (step) => change(({ steps }) => ({ steps: [...steps, step] })),
        onWait: (wait) => change(() => ({ wait })),
        holds,
        untilMined,
      });
    } catch (error) {
      const trouble = nameTrouble(error);
      outcome =
        trouble === "page" ? { kind: "failed", code: "", text: String(error) } : { kind: "trouble", trouble };
    }
    letGo.current = undefined;
    change(() => ({ wait: undefined, outcome }));
    onOutcome(name, outcome);
  }

  return {
    run,
    told,
    isBusy: run !== undefined && run.outcome === undefined && !waitsForBlock(run),
    release,
    clear: () => setRun(undefined),
    clearAll() {
      setRun(undefined);
      setTold(undefined);
    },
    async start(order) {
      if (under.current !== undefined) {
        // Whoever waits for a wallet or the service is not overtaken.
        if (letGo.current === undefined) return;
        release();
        await under.current;
      }
      under.current = go(order).finally(() => {
        under.current = undefined;
      });
      await under.current;
    },
  };
}
