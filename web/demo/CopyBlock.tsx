import { useState } from "preact/hooks";
import { useTexts } from "../shared/language.tsx";
import { demoTexts } from "./texts.ts";

/** Something to read and to copy. */
export function CopyBlock({ title, text }: { title: string; text: string }) {
  const texts = useTexts(demoTexts);
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // A browser may not let pages copy: the text can be selected all the same.
      () => setCopied(false),
    );
  return (
    <div class="block">
      <p>
        <span>{title}</span>
        <button type="button" class="quiet small" aria-label={texts.copyWhat(title)} onClick={copy}>
          {texts.copy}
        </button>
        <span class="quiet-text" role="status">
          {isCopied && texts.copied}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that. */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
