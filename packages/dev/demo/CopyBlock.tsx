import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { useCopy } from "@hardhat-identity/verify-page/shared/useCopy";
import type { ComponentChildren } from "preact";
import { demoTexts } from "./texts.ts";

/**
 * Something to read and to copy.
 *
 * @param props.isCode Whether it is JSON or TypeScript, which is coloured.
 */
export function CopyBlock(props: { title: string; text: string; isCode?: boolean }) {
  const { title, text, isCode = false } = props;
  const texts = useTexts(demoTexts);
  const { isCopied, copy } = useCopy(text);
  return (
    <div class="block">
      <p>
        <span>{title}</span>
        <button type="button" class="small quiet" aria-label={texts.copyWhat(title)} onClick={copy}>
          {texts.copy}
        </button>
        <span class="quiet-text" role="status">
          {isCopied !== undefined && (isCopied ? texts.copied : texts.copyByHand)}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that. */}
      <pre tabIndex={0}>{isCode ? colour(text) : text}</pre>
    </div>
  );
}

/** Addresses, names, texts, numbers and keywords of JSON and TypeScript, by their classes. */
const tokens =
  /(?<url>https?:\/\/[^\s"]+)|(?<name>"[^"\n]*"(?=:)|\b\w+(?=: ))|(?<text>"(?:[^"\\\n]|\\.)*")|(?<number>\b(?:0x[0-9a-f]+|\d+)\b)|(?<word>\b(?:const|await|true|false|null|POST)\b)/g;

function colour(code: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of code.matchAll(tokens)) {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    parts.push(code.slice(end, index), <span class={`token ${kind}`}>{token}</span>);
    end = index + token.length;
  }
  return [...parts, code.slice(end)];
}
