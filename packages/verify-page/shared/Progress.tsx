import { useEffect, useRef } from "preact/hooks";
import type { Task } from "./useTask.ts";

/**
 * A task's progress and problem, below its button. Screen readers announce each change, and the page scrolls it into
 * view.
 */
export function Progress({ task }: { task: Pick<Task, "progress" | "problem"> & Partial<Task> }) {
  const { progress, problem, attempt = 0 } = task;
  const text = progress ?? problem;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text) line.current?.scrollIntoView({ block: "nearest" });
  }, [text, attempt]);
  return (
    <div class="said" role="status" ref={line}>
      {progress && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          <span>{progress}</span>
        </p>
      )}
      {problem && (
        <p key={attempt} class="notice bad">
          {problem}
        </p>
      )}
    </div>
  );
}
