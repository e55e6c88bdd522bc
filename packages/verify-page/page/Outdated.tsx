import { Heading } from "../shared/Heading.tsx";
import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/** In place of a screen on which something was clicked that another tab has made untrue. */
export function Outdated({ goOn }: { goOn: () => Promise<void> }) {
  const { outdated } = useTexts(verifyTexts);
  return (
    <>
      <Heading>{outdated.title}</Heading>
      <p class="notice bad" role="alert">
        {outdated.what}
      </p>
      <div class="actions">
        <button type="button" onClick={goOn}>
          {outdated.show}
        </button>
      </div>
    </>
  );
}
