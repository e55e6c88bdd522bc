import { useEffect, useRef } from "preact/hooks";
import type { Task } from "./useTask.ts";

/**
 * What a task waits for, and what has gone wrong: read out as it changes, and brought into sight. It stands below the
 * button that was pressed.
 */
export function Progress({ task }: { task: Pick<Task, "progress" | "problem"> }) {
  const { progress, problem } = task;
  const text = progress ?? problem;
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text) line.current?.scrollIntoView({ block: "nearest" });
  }, [text]);
  return (
    <div class="said" role="status" ref={line}>
      {progress && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          {progress}
        </p>
      )}
      {problem && <p class="notice bad">{problem}</p>}
    </div>
  );
}
