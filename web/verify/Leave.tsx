import { Heading } from "../shared/Heading.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";

/** The last look before a person follows an app's address that the operator does not know. */
export function Leave({ page, url, back }: { page: Page; url: string; back: () => Promise<void> }) {
  const { host } = new URL(url);
  return (
    <>
      <Steps page={page} current={5} />
      <Heading>Is this where you came from?</Heading>
      <p>
        The app that sent you here asks to have you back at <b>{host}</b>. We do not know this app. Go on only
        if you came from there. This is the whole address:
      </p>
      <p>
        <code class="address">{url}</code>
      </p>
      <div class="actions">
        <a class="button" href={url} rel="noreferrer">
          Go to {host}
        </a>
        <button type="button" class="quiet" onClick={back}>
          Stay here
        </button>
      </div>
    </>
  );
}
