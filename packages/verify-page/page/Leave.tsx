import { useTexts } from "../shared/language.tsx";
import type { Page } from "./page.ts";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";

/** The last look before a person follows an app's address that the operator does not know. */
export function Leave({ page, url, back }: { page: Page; url: string; back: () => Promise<void> }) {
  const { leave } = useTexts(verifyTexts);
  const { host } = new URL(url);
  return (
    <>
      <Top page={page} step={url === page.overview.returnTo?.success ? 4 : undefined}>
        {leave.title(host)}
      </Top>
      <p>{leave.what(host)}</p>
      <p>
        <code class="address" translate={false}>
          {url}
        </code>
      </p>
      <div class="actions">
        <button type="button" onClick={back}>
          {leave.stay}
        </button>
        <a class="button quiet" href={url} rel="noreferrer">
          {leave.go(host)}
        </a>
      </div>
    </>
  );
}
