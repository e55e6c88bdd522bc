import { useTexts } from "../shared/language.tsx";
import { useCopy } from "../shared/useCopy.ts";
import { shortenAddress } from "../shared/words.ts";
import { verifyTexts } from "./texts.ts";

/**
 * A wallet's address by its ends, and a button that copies the whole of it.
 *
 * @param props.isElsewhere Whether the address can be read beside it already.
 */
export function Address({ wallet, isElsewhere = false }: { wallet: string; isElsewhere?: boolean }) {
  const { address: texts } = useTexts(verifyTexts);
  const { isCopied, copy } = useCopy(wallet);
  return (
    <span class="wallet">
      {(!isElsewhere || isCopied === false) && (
        <code title={wallet} translate={false}>
          {isCopied === false ? wallet : shortenAddress(wallet)}
        </code>
      )}{" "}
      <button type="button" class="link" onClick={copy}>
        {texts.copy}
      </button>{" "}
      <span role="status">{isCopied && <span>{texts.copied}</span>}</span>
    </span>
  );
}
