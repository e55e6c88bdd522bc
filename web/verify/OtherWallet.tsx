import type { ComponentChildren } from "preact";
import { useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import type { Task } from "../shared/useTask.ts";
import { shortenAddress } from "../shared/words.ts";
import { BackToApp } from "./BackToApp.tsx";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/**
 * Asks before another wallet is used than the one that the app asks for.
 *
 * @param props.what What is the matter, of the two wallets' short addresses.
 * @param props.children The way to the wallet that is asked for, by its short address.
 */
export function OtherWallet(props: {
  page: Page;
  wallet: string;
  asked: string;
  what: (wallet: string, asked: string) => ComponentChildren;
  task: Task;
  children: (asked: string) => ComponentChildren;
}) {
  const { page, wallet, asked, what, task, children } = props;
  const { other, purpose } = useTexts(verifyTexts);
  const short = shortenAddress(asked);
  return (
    <>
      <div class="notice">
        <p>{what(shortenAddress(wallet), short)}</p>
        <p>{other.consequence(page.app ?? purpose.anApp)}</p>
      </div>
      <div class="actions">
        {children(short)}
        <button type="button" class="quiet" onClick={() => page.accept(wallet)}>
          {other.allTheSame(shortenAddress(wallet))}
        </button>
        <BackToApp page={page} reason="cancelled" />
      </div>
      <Progress task={task} />
    </>
  );
}
