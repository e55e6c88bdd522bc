import { useEffect, useState } from "preact/hooks";
import { useTexts } from "../shared/language.tsx";
import { networkOf, readChainId, switchNetwork } from "../shared/networks.ts";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { useTask } from "../shared/useTask.ts";
import { type AnnouncedWallet, followWallet } from "../shared/wallets.ts";
import { rememberChain } from "./memory.ts";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/** Where the wallet looks at another chain: a way to the right one, for as long as it does. */
export function NetworkNotice(props: {
  page: Page;
  wallet: AnnouncedWallet;
  /** The wallet's chain when it connected. */
  chainId: number | undefined;
}) {
  const { page, wallet } = props;
  const { network: texts } = useTexts(verifyTexts);
  const shared = useTexts(sharedTexts);
  const { chainId, development } = page.overview;
  const network = networkOf(chainId, development?.rpcUrl);
  // As a wallet knows it, the local node's is no name for a sentence.
  const named = "rpcUrl" in network ? network.name : texts.byId(chainId);
  const name = development === undefined ? named : texts.local;
  const [current, setCurrent] = useState(props.chainId);
  const task = useTask((error) => (nameTrouble(error) === "wallet" ? texts.unable(named) : undefined));
  const look = async () => setCurrent(await readChainId(wallet.connection));
  useEffect(() => {
    void look();
    return followWallet(wallet.connection, { accounts: () => undefined, chain: () => void look() });
  }, [wallet]);
  useEffect(() => rememberChain(current), [current]);
  if (current === undefined || current === chainId) return null;
  return (
    <div class="notice">
      <p>{texts.other(name)}</p>
      <button
        type="button"
        class="quiet"
        onClick={() =>
          task.restart(async (say) => {
            say(shared.lookAtWallet.network);
            await switchNetwork(wallet.connection, network);
            await look();
          })
        }
      >
        {texts.change(name)}
      </button>
      <Progress task={task} />
    </div>
  );
}
