import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/** What becomes of a proven account: said before the click that proves it, and before the one that stores it. */
export function Consequences() {
  const { consequences } = useTexts(verifyTexts);
  return (
    <section class="card consequences" aria-labelledby="consequences">
      <h2 id="consequences">{consequences.title}</h2>
      <p>{consequences.appsInShort}</p>
      <p>{consequences.everybodyInShort}</p>
      <details>
        <summary>{consequences.inFull}</summary>
        <p>{consequences.apps}</p>
        <p>{consequences.everybody}</p>
      </details>
    </section>
  );
}
