import {
  encodeCall,
  type SignedVerification,
  sendCall,
  sendCalls,
  waitForCalls,
  waitForReceipt,
} from "@hardhat-identity/client";
import { useState } from "react";
import { type EIP1193Provider, parseEther } from "viem";
import { chain, node } from "./chain.ts";
import { type Progress, useVerification } from "./useVerification.ts";

declare global {
  interface Window {
    ethereum?: EIP1193Provider;
  }
}

const { VITE_SERVICE_URL: baseUrl, VITE_PROGRAM: program, VITE_VAULT: vault } = import.meta.env;

/** What the person sees of the verify page's answer when they come back. */
const returned = new URLSearchParams(location.search).has("success");

export function App() {
  const [account, setAccount] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const wallet = window.ethereum;

  async function connect() {
    if (wallet === undefined) return setProblem("There is no wallet in this browser.");
    try {
      const [first] = await wallet.request({ method: "eth_requestAccounts" });
      setAccount(first);
    } catch {
      setProblem("The wallet did not connect.");
    }
  }

  return (
    <main>
      <h1>Claim once</h1>
      <p>Whoever has more than 1000 followers may claim, once, whatever their wallets.</p>
      {returned && <p role="status">Your account is proven. Go on where you were.</p>}
      {account === undefined || wallet === undefined ? (
        <button type="button" onClick={connect}>
          Connect
        </button>
      ) : (
        <>
          <p>
            Connected as <code>{account}</code>
          </p>
          <Claim wallet={wallet} account={account} />
          <Deposit wallet={wallet} account={account} />
        </>
      )}
      {problem && <p role="alert">{problem}</p>}
    </main>
  );
}

interface Connected {
  readonly wallet: EIP1193Provider;
  readonly account: string;
}

/** One transaction. */
function Claim({ wallet, account }: Connected) {
  const { progress, use } = useVerification({
    wallet,
    account,
    consumer: program,
    chainId: chain.id,
    baseUrl,
  });

  async function send(verification: SignedVerification) {
    const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
    const data = encodeCall({ abi, verification });
    const hash = await sendCall(wallet, { from: account, chainId: chain.id, to: program, data });
    await waitForReceipt(wallet, { hash });
  }

  return (
    <section>
      <h2>Claim</h2>
      <Act name="Claim" progress={progress} onPress={() => use(send)} />
    </section>
  );
}

/** Several calls as one batch: get tokens, let the vault take them, deposit. */
function Deposit({ wallet, account }: Connected) {
  const { progress, use } = useVerification({ wallet, account, consumer: vault, chainId: chain.id, baseUrl });

  async function send(verification: SignedVerification) {
    const amount = parseEther("25");
    const token = await node.readContract({
      address: vault as `0x${string}`,
      abi: [
        {
          type: "function",
          name: "token",
          stateMutability: "view",
          inputs: [],
          outputs: [{ name: "", type: "address" }],
        },
      ],
      functionName: "token",
    });
    const mint = encodeCall({ abi: "mint(address to, uint256 amount)", args: { to: account, amount } });
    const approve = encodeCall({
      abi: "approve(address spender, uint256 amount)",
      args: { spender: vault, amount },
    });
    const deposit = encodeCall({
      abi: "deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)",
      verification,
      args: { amount },
    });
    const { batchId } = await sendCalls(wallet, {
      from: account,
      chainId: chain.id,
      atomicRequired: true,
      calls: [
        { to: token, data: mint },
        { to: token, data: approve },
        { to: vault, data: deposit },
      ],
    });
    await waitForCalls(wallet, { batchId });
  }

  return (
    <section>
      <h2>Deposit in one batch</h2>
      <Act name="Deposit" progress={progress} onPress={() => use(send)} />
    </section>
  );
}

function Act({ name, progress, onPress }: { name: string; progress: Progress; onPress: () => void }) {
  const busy = progress.status === "signing" || progress.status === "sending";
  return (
    <>
      <button type="button" disabled={busy} onClick={onPress}>
        {name}
      </button>
      <p role="status">
        {progress.status === "signing" && "Sign the message in your wallet …"}
        {progress.status === "sending" && "Sending …"}
        {progress.status === "done" && `${name}: done.`}
        {progress.status === "refused" && progress.reason}
        {progress.status === "prove" && (
          <>
            First prove that you have the account. <a href={progress.url}>Prove it</a>
          </>
        )}
      </p>
    </>
  );
}
