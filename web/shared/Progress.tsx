import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Task } from "./useTask.ts";

/**
 * What a task waits for, and what has gone wrong: read out as it changes, and brought into sight. It stands below the
 * buttons, which stay where they are.
 */
export function Progress({ task }: { task: Pick<Task, "progress" | "problem"> }) {
  const { progress, problem } = task;
  return (
    <Said text={progress ?? problem}>
      {progress && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          {progress}
        </p>
      )}
      {problem && <p class="notice bad">{problem}</p>}
    </Said>
  );
}

/** What has gone wrong, right below the button that was pressed; what is waited for stands below all of them. */
export function Problem({ task: { problem } }: { task: Pick<Task, "problem"> }) {
  return <Said text={problem}>{problem && <p class="notice bad">{problem}</p>}</Said>;
}

function Said({ text, children }: { text: string | undefined; children: ComponentChildren }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text) line.current?.scrollIntoView({ block: "nearest" });
  }, [text]);
  return (
    <div class="said" role="status" ref={line}>
      {children}
    </div>
  );
}
