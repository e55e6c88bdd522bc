import type { ComponentChildren } from "preact";
import { useTexts } from "../shared/language.tsx";
import type { Task } from "../shared/useTask.ts";
import { shortenAddress } from "../shared/words.ts";
import { Actions } from "./Actions.tsx";
import { BackToApp } from "./BackToApp.tsx";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/**
 * Asks before another wallet is used than the one that the app asks for.
 *
 * @param props.what What is the matter.
 * @param props.choice Another of the wallet's accounts, where it offers several.
 * @param props.children The way to the wallet that is asked for.
 */
export function OtherWallet(props: {
  page: Page;
  wallet: string;
  what: string;
  choice?: ComponentChildren;
  task: Task;
  children: ComponentChildren;
}) {
  const { page, wallet, what, choice, task, children } = props;
  const { other } = useTexts(verifyTexts);
  return (
    <>
      <div class="notice">
        <p>{what}</p>
        <dl>
          <dt>{other.asked}</dt>
          <dd>{shortenAddress(page.overview.askedWallet ?? "")}</dd>
          <dt>{other.used}</dt>
          <dd>{shortenAddress(wallet)}</dd>
        </dl>
        <p>{other.consequence(page.app)}</p>
      </div>
      {choice}
      <Actions task={task} next={children}>
        <button type="button" class="link" onClick={() => page.accept(wallet)}>
          {other.allTheSame}
        </button>
        <BackToApp page={page} reason="cancelled" />
      </Actions>
    </>
  );
}
