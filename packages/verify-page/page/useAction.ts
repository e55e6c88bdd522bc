import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { type Task, useTask } from "../shared/useTask.ts";
import type { Page } from "./page.ts";

/** What a click does, for the wallet and the proof that are on the screen; a screen that is out of date says so. */
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
