import { useState } from "preact/hooks";
import { useTexts } from "../shared/language.tsx";
import { shortenAddress } from "../shared/words.ts";
import { verifyTexts } from "./texts.ts";

/** A wallet's address by its ends, and a button that copies the whole of it. */
export function Address({ wallet }: { wallet: string }) {
  const { address: texts } = useTexts(verifyTexts);
  const [isCopied, setCopied] = useState(false);
  const [isShown, setShown] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(wallet).then(
      () => setCopied(true),
      // A browser may let no page copy: it can be copied by hand.
      () => setShown(true),
    );
  return (
    <span class="wallet">
      <code title={wallet}>{isShown ? wallet : shortenAddress(wallet)}</code>{" "}
      <button type="button" class="link" onClick={copy}>
        {texts.copy}
      </button>{" "}
      <span role="status">{isCopied && texts.copied}</span>
    </span>
  );
}
