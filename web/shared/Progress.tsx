import type { Task } from "./useTask.ts";

/** What a task waits for, and what has gone wrong: read out as it changes, and right where the person has clicked. */
export function Progress({ task }: { task: Pick<Task, "progress" | "problem"> }) {
  return (
    <div role="status">
      {task.progress && (
        <p class="progress">
          <span class="spinner" aria-hidden="true" />
          {task.progress}
        </p>
      )}
      {task.problem && <p class="notice bad">{task.problem}</p>}
    </div>
  );
}
