import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { type Task, useTask } from "../shared/useTask.ts";
import type { Page } from "./page.ts";

/** Runs a click's action for the wallet and proof on the screen. An outdated screen says that it is. */
export function useAction(page: Page): Task {
  const task = useTask();
  return {
    ...task,
    run: (action) =>
      task.run(async (say, signal) => {
        try {
          await action(say, signal);
        } catch (error) {
          const code = error instanceof ServiceFailure ? error.code : undefined;
          if (code === "stale_page") page.outdate();
          else if (code === "not_signed_in") await page.signInAgain();
          else throw error;
        }
      }),
  };
}
