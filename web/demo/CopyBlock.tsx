import { useCopy } from "../shared/useCopy.ts";
import { texts } from "./texts.tsx";

/**
 * Something to read and to copy.
 *
 * @param props.isNext Whether to copy it is what comes next.
 */
export function CopyBlock(props: { title: string; text: string; isNext?: boolean }) {
  const { title, text, isNext = false } = props;
  const { isCopied, copy } = useCopy(text);
  return (
    <div class="block">
      <p>
        <span>{title}</span>
        <button
          type="button"
          class={`small ${isNext ? "" : "quiet"}`}
          aria-label={texts.copyWhat(title)}
          onClick={copy}
        >
          {texts.copy}
        </button>
        <span class="quiet-text" role="status">
          {isCopied !== undefined && (isCopied ? texts.copied : texts.copyByHand)}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that. */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
