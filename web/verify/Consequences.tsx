import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/**
 * What becomes of a proven account: in short before the click that proves it. Before the one that stores it, it has been
 * read already, and folds out.
 */
export function Consequences({ isShort }: { isShort: boolean }) {
  const { consequences } = useTexts(verifyTexts);
  const inFull = (
    <details class={isShort ? "" : "card consequences"}>
      <summary>{isShort ? consequences.inFull : consequences.title}</summary>
      <p>{consequences.apps}</p>
      <p>{consequences.everybody}</p>
    </details>
  );
  if (!isShort) return inFull;
  return (
    <section class="card consequences" aria-labelledby="consequences">
      <h2 id="consequences">{consequences.title}</h2>
      <p>{consequences.appsInShort}</p>
      <p>{consequences.everybodyInShort}</p>
      {inFull}
    </section>
  );
}
