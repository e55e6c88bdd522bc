import type { ReturnError } from "../../protocol/verifyPage.ts";
import type { Page } from "./page.ts";

/** The way back to the app without having proven anything; nothing where no app sent the person. */
export function BackToApp({ page, reason }: { page: Page; reason: ReturnError }) {
  const { returnTo } = page.overview;
  if (returnTo === undefined) return null;
  return (
    <button type="button" class="quiet" onClick={() => page.leave(reason)}>
      Go back to {new URL(returnTo.origin).host}
    </button>
  );
}
