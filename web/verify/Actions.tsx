import type { ComponentChildren } from "preact";
import { Progress } from "../shared/Progress.tsx";
import type { Task } from "../shared/useTask.ts";

/**
 * What a person can do: the next step, right below it what it waits for or what went wrong with it, and then the quieter
 * ways.
 *
 * @param props.next One button, or several that are as good as each other.
 */
export function Actions(props: {
  task: Pick<Task, "progress" | "problem">;
  next?: ComponentChildren;
  isList?: boolean;
  children?: ComponentChildren;
}) {
  const { task, next, isList = false, children } = props;
  return (
    <>
      <div class={`actions ${isList ? "column" : "next"}`}>{next}</div>
      <Progress task={task} />
      <div class="actions">{children}</div>
    </>
  );
}
