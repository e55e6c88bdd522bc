import { useState } from "preact/hooks";

/** Something under way that a person waits for. */
export interface Task {
  readonly busy: boolean;
  /** What went wrong, in words. */
  readonly problem: string | undefined;
  /** Starts it; while it runs, nothing else is started. */
  run(action: () => Promise<void>): Promise<void>;
}

/** @param explain Turns what was thrown into a sentence for the person. */
export function useTask(explain: (error: unknown) => string): Task {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  return {
    busy,
    problem,
    async run(action) {
      if (busy) return;
      setBusy(true);
      setProblem(undefined);
      try {
        await action();
      } catch (error) {
        setProblem(explain(error));
      } finally {
        setBusy(false);
      }
    },
  };
}
