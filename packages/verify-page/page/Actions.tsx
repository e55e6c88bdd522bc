import type { ComponentChildren } from "preact";
import { Progress } from "../shared/Progress.tsx";
import type { Task } from "../shared/useTask.ts";

/**
 * The actions of a screen: the next step, its progress or problem right below, and then the secondary actions.
 *
 * @param props.next One button, several that are as good as each other, or both answers to a question.
 */
export function Actions(props: {
  task: Pick<Task, "progress" | "problem" | "attempt">;
  next?: ComponentChildren;
  isList?: boolean;
  children?: ComponentChildren;
}) {
  const { task, next, isList = false, children } = props;
  return (
    <>
      <div class={isList ? "" : "next"}>
        <div class={`actions ${isList ? "column" : ""}`}>{next}</div>
        <Progress task={task} />
      </div>
      <div class="actions">{children}</div>
    </>
  );
}
