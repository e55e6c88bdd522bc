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
 * @param props.what The problem, in words.
 * @param props.children The way to the wallet that is asked for.
 */
export function OtherWallet(props: {
  page: Page;
  wallet: string;
  what: string;
  task: Task;
  children: ComponentChildren;
}) {
  const { page, wallet, what, task, children } = props;
  const { other } = useTexts(verifyTexts);
  return (
    <>
      <div class="notice caution">
        <p>{what}</p>
        <dl>
          <dt>{other.asked}</dt>
          <dd>
            <b translate={false}>{shortenAddress(page.overview.askedWallet ?? "")}</b>
          </dd>
          <dt>{other.used}</dt>
          <dd class="quiet-text" translate={false}>
            {shortenAddress(wallet)}
          </dd>
        </dl>
        <p>{other.consequence(page.app)}</p>
      </div>
      <Actions task={task} next={children}>
        <button type="button" class="link" onClick={() => page.accept(wallet)}>
          {other.allTheSame}
        </button>
        <BackToApp page={page} reason="cancelled" />
      </Actions>
    </>
  );
}
