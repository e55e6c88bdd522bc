import type { ServiceFailure } from "../shared/askService.ts";
import { Heading } from "../shared/Heading.tsx";
import { explain } from "./page.ts";

/** In place of a screen on which something was clicked that another tab, or the time, has made untrue. */
export function Outdated({ failure, goOn }: { failure: ServiceFailure; goOn: () => Promise<void> }) {
  return (
    <>
      <Heading>Something changed meanwhile</Heading>
      <p class="notice bad">{explain(failure)}</p>
      <div class="actions">
        <button type="button" onClick={goOn}>
          {failure.code === "not_signed_in" ? "Sign in again" : "Show how things are now"}
        </button>
      </div>
    </>
  );
}
