import type { ComponentChildren } from "preact";
import { useTexts } from "../shared/language.tsx";
import { verifyTexts } from "./texts.ts";

/**
 * The consequences of proving an account, in two sentences; the rest folds out.
 *
 * @param props.children Stored items that the screen does not show.
 */
export function Consequences({ children }: { children?: ComponentChildren }) {
  const { consequences } = useTexts(verifyTexts);
  return (
    <details class="card consequences">
      <summary>
        <span>{consequences.appsInShort}</span> <span>{consequences.everybodyInShort}</span>
      </summary>
      {children && <p>{children}</p>}
      <p>{consequences.apps}</p>
      <p>{consequences.everybody}</p>
    </details>
  );
}
