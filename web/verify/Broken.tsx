import { ServiceFailure } from "../shared/askService.ts";
import { Heading } from "../shared/Heading.tsx";
import { explain } from "./page.ts";

/** The page cannot be shown: the app asked wrongly, or the service is not there. */
export function Broken({ failure, retry }: { failure: unknown; retry: () => void }) {
  const isAppsFault = failure instanceof ServiceFailure && failure.code === "invalid_argument";
  if (isAppsFault) {
    return (
      <>
        <Heading>This link does not work</Heading>
        <p>
          The app that sent you here made a mistake in its link. You did nothing wrong, and nothing was
          stored.
        </p>
        <p class="notice bad">{failure.message}</p>
        <p>Close this page, and tell the people who run the app.</p>
      </>
    );
  }
  return (
    <>
      <Heading>This page cannot be shown right now</Heading>
      <p class="notice bad">{explain(failure)}</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </>
  );
}
