import { announceWallet } from "@hardhat-identity/wallet/announce";
import { useEffect, useRef, useState } from "preact/hooks";
import { useTexts } from "../shared/language.tsx";
import { readChainId } from "../shared/networks.ts";
import { sharedTexts } from "../shared/texts.ts";
import { useTask } from "../shared/useTask.ts";
import {
  type AnnouncedWallet,
  knownAccounts,
  nameWallet,
  requestAccounts,
  watchWallets,
} from "../shared/wallets.ts";
import { Actions } from "./Actions.tsx";
import { BackToApp } from "./BackToApp.tsx";
import { Choice } from "./Choice.tsx";
import { Loading } from "./Loading.tsx";
import { recallChain, recallWallet, rememberWallet } from "./memory.ts";
import { NoWallet } from "./NoWallet.tsx";
import type { Page } from "./page.ts";
import { SignIn } from "./SignIn.tsx";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";

/** Milliseconds in which a second click on the same wallet is none. */
const doubleClickMs = 1_000;

/** Milliseconds for which a screen waits for what a wallet may not answer: its chain, or that it is there again. */
const patienceMs = 400;

interface Connected {
  readonly wallet: AnnouncedWallet;
  readonly accounts: readonly string[];
  /** The chain that the wallet looks at. */
  readonly chainId: number | undefined;
}

/**
 * Asks a wallet for its accounts and its chain together, so that nothing on the next screen moves for a notice.
 *
 * @param lastChain The chain to assume of a wallet that is slow to answer.
 * @param patience Milliseconds for which it waits for the chain once it has the accounts.
 */
async function connectTo(
  wallet: AnnouncedWallet,
  readAccounts: typeof knownAccounts,
  lastChain?: number,
  patience = patienceMs,
): Promise<Connected> {
  const chain = readChainId(wallet.connection);
  const accounts = await readAccounts(wallet.connection);
  const late = new Promise<typeof lastChain>((resolve) => setTimeout(resolve, patience, lastChain));
  return { wallet, accounts, chainId: await Promise.race([chain, late]) };
}

/**
 * Step 1: choose one of the browser's wallets. The development wallet needs no choice if it has the account that the app asks
 * for.
 */
export function Connect({ page }: { page: Page }) {
  const texts = useTexts(verifyTexts);
  const shared = useTexts(sharedTexts);
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  const [connected, setConnected] = useState<Connected>();
  const [disconnected, setDisconnected] = useState(false);
  /** The wallet that the person chose last. Late answers of other wallets are ignored. */
  const chosen = useRef<AnnouncedWallet | undefined>(undefined);
  /** When it was asked last, in milliseconds. */
  const askedAt = useRef(0);
  const { development, askedWallet } = page.overview;
  const [isRestoring, setRestoring] = useState(recallWallet() !== undefined);
  const [isLooking, setLooking] = useState(
    development !== undefined && askedWallet !== undefined && !isRestoring,
  );
  const task = useTask();
  useEffect(() => watchWallets(setWallets), []);
  useEffect(() => {
    if (development !== undefined) announceWallet(development);
  }, [development]);

  const atHand = wallets.find(({ isDevelopment }) => isDevelopment);
  useEffect(() => {
    if (!isLooking || atHand === undefined || askedWallet === undefined) return;
    // The development wallet connects without asking anybody.
    void connectTo(atHand, requestAccounts)
      .then((found) => {
        if (found.accounts.includes(askedWallet) && chosen.current === undefined)
          setConnected((current) => current ?? found);
      })
      .catch(() => undefined)
      .then(() => setLooking(false));
  }, [atHand]);

  // Restores the wallet chosen before a reload, or before the session ended. It may be gone, or slow to name its chain.
  useEffect(() => void setTimeout(setRestoring, 2 * patienceMs, false), []);
  const former =
    connected === undefined ? wallets.find(({ domain }) => domain === recallWallet()) : undefined;
  useEffect(() => {
    if (former === undefined) return;
    void connectTo(former, knownAccounts, recallChain()).then((found) => {
      const isChosen = chosen.current !== undefined || recallWallet() !== former.domain;
      if (found.accounts.length === 0 || isChosen) return;
      setConnected((current) => current ?? found);
    });
  }, [former]);

  const disconnect = (byWallet: boolean) => {
    rememberWallet(undefined);
    chosen.current = undefined;
    setConnected(undefined);
    setDisconnected(byWallet);
  };
  if (connected !== undefined) return <SignIn page={page} {...connected} disconnect={disconnect} />;
  if (isRestoring || isLooking) return <Loading page={page} />;
  if (wallets.length === 0 && development === undefined) return <NoWallet page={page} />;

  const isVisit = askedWallet === undefined && page.app === undefined;
  // A wallet that does not answer keeps nobody from another one. It may be asked again, too: the window in which it asked
  // may be gone.
  const connect = (wallet: AnnouncedWallet) => {
    const isDoubleClick = chosen.current === wallet && performance.now() - askedAt.current < doubleClickMs;
    if (task.busy && isDoubleClick) return;
    askedAt.current = performance.now();
    void task.restart(async (say) => {
      chosen.current = wallet;
      setDisconnected(false);
      if (!wallet.isDevelopment) say(shared.lookAtWallet.connect);
      const found = await connectTo(wallet, requestAccounts, undefined, 6 * patienceMs);
      if (chosen.current?.id !== wallet.id) return;
      rememberWallet(wallet.domain);
      task.stop();
      setConnected((current) => current ?? found);
    });
  };
  return (
    <>
      <Top page={page} step={1}>
        {texts.connect.title}
      </Top>
      <p>{texts.connect.why}</p>
      {isVisit && <p>{texts.connect.visit}</p>}
      <p>
        {askedWallet !== undefined
          ? texts.connect.chooseAsked
          : isVisit
            ? texts.connect.chooseOwn
            : texts.connect.choose}{" "}
        {texts.connect.connecting}
      </p>
      <Actions
        isList
        task={disconnected ? { ...task, problem: texts.signIn.disconnected } : task}
        next={wallets.map((wallet) => (
          <WalletButton key={wallet.id} wallet={wallet} onClick={() => connect(wallet)} />
        ))}
      >
        <BackToApp page={page} reason="cancelled" />
      </Actions>
    </>
  );
}

function WalletButton({ wallet, onClick }: { wallet: AnnouncedWallet; onClick: () => void }) {
  const texts = useTexts(sharedTexts);
  return (
    <Choice name={nameWallet(wallet, texts)} icon={wallet.icon} onClick={onClick}>
      {wallet.isDevelopment && <span class="tag">{texts.developmentOnly}</span>}
    </Choice>
  );
}
