import { ServiceFailure } from "../shared/askService.ts";
import { type Task, useTask } from "../shared/useTask.ts";
import { explain, type Page } from "./page.ts";

/** What a click does, for the wallet and the proof that are on the screen; a screen that is out of date says so. */
export function useAction(page: Page): Task {
  const task = useTask(explain);
  return {
    ...task,
    run: (action) =>
      task.run(async (say) => {
        try {
          await action(say);
        } catch (error) {
          if (!isOutdated(error)) throw error;
          page.outdate(error);
        }
      }),
  };
}

function isOutdated(error: unknown): error is ServiceFailure {
  return error instanceof ServiceFailure && (error.code === "stale_page" || error.code === "not_signed_in");
}
