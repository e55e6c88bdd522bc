import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/** The consequences of verifying an account, in two sentences; the rest folds out. */
export function Consequences() {
  const { consequences } = useTexts(verifyTexts);
  return (
    <details class="card consequences">
      <summary>
        <span>{consequences.appsInShort}</span> <span>{consequences.everybodyInShort}</span>
      </summary>
      <p>{consequences.apps}</p>
      <p>{consequences.everybody}</p>
    </details>
  );
}
