import type { ReturnError } from "../messages.ts";
import { useTexts } from "../shared/language.tsx";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/** The way back to the app without having proven anything; nothing where no app sent the person. */
export function BackToApp(props: { page: Page; reason: ReturnError; look?: "link" | "quiet" }) {
  const { page, reason, look = "link" } = props;
  const texts = useTexts(verifyTexts);
  if (page.app === undefined) return null;
  return (
    <button type="button" class={look} onClick={() => page.leave(reason)}>
      {texts.goBackTo(page.app)}
    </button>
  );
}
