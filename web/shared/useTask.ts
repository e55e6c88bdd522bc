import { useRef, useState } from "preact/hooks";
import { useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";
import { nameTrouble } from "./trouble.ts";

/** Something under way that a person waits for. */
export interface Task {
  readonly busy: boolean;
  /** What is being waited for, in words; nothing where that is said elsewhere. */
  readonly progress: string | undefined;
  /** What went wrong, in words. */
  readonly problem: string | undefined;
  /** Starts it; while it runs, nothing else is started. It says what it waits for, as that changes. */
  run(action: (say: (progress: string) => void) => Promise<void>): Promise<void>;
}

/** @param explain Has a sentence for the person of its own for some of what may be thrown. */
export function useTask(explain: (error: unknown) => string | undefined = () => undefined): Task {
  const { troubles } = useTexts(sharedTexts);
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<string>();
  const [failure, setFailure] = useState<{ readonly error: unknown }>();
  const running = useRef(false);
  return {
    busy,
    progress,
    // In the language of the moment.
    problem: failure && (explain(failure.error) ?? troubles[nameTrouble(failure.error)]),
    async run(action) {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      setFailure(undefined);
      try {
        await action(setProgress);
      } catch (error) {
        setFailure({ error });
        if (nameTrouble(error) === "page") console.error(error);
      } finally {
        running.current = false;
        setBusy(false);
        setProgress(undefined);
      }
    },
  };
}
