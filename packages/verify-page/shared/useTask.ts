import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";
import { nameTrouble } from "./trouble.ts";

/**
 * A task that a person waits for.
 *
 * @param say Shows the progress, in words.
 * @param signal Aborted when the person leaves the task; later results are ignored.
 */
export type Action = (say: (progress: string) => void, signal: AbortSignal) => Promise<void>;

/** Something under way that a person waits for. */
export interface Task {
  readonly busy: boolean;
  /** The progress in words; `undefined` where the page shows it elsewhere. */
  readonly progress: string | undefined;
  /** The problem in words. */
  readonly problem: string | undefined;
  /** Counts the starts, so that the same problem is announced again. */
  readonly attempt: number;
  /** Starts it, unless something runs. */
  run(action: Action): Promise<void>;
  /** Starts it in place of what runs. */
  restart(action: Action): Promise<void>;
  /** Ends what runs, and forgets the problem before. */
  stop(problem?: Error): void;
}

/** @param explain Has a sentence for the person of its own for some of what may be thrown. */
export function useTask(explain: (error: unknown) => string | undefined = () => undefined): Task {
  const { troubles } = useTexts(sharedTexts);
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<string>();
  const [failure, setFailure] = useState<{ readonly error: unknown }>();
  const [attempt, setAttempt] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);

  async function restart(action: Action): Promise<void> {
    stop();
    const mine = new AbortController();
    running.current = mine;
    const { signal } = mine;
    setBusy(true);
    setAttempt((before) => before + 1);
    try {
      await action((said) => void (signal.aborted || setProgress(said)), signal);
      signal.throwIfAborted();
      stop();
    } catch (error) {
      if (signal.aborted) return;
      stop(error);
      if (nameTrouble(error) === "page") console.error(error);
    }
  }

  function stop(error?: unknown): void {
    running.current?.abort();
    running.current = undefined;
    setBusy(false);
    setProgress(undefined);
    setFailure(error === undefined ? undefined : { error });
  }

  // Nobody waits on a screen that is gone.
  useLayoutEffect(() => () => running.current?.abort(), []);
  return {
    busy,
    progress,
    // In the language of the moment.
    problem: failure && (explain(failure.error) ?? troubles[nameTrouble(failure.error)]),
    attempt,
    run: async (action) => (running.current === undefined ? await restart(action) : undefined),
    restart,
    stop,
  };
}
