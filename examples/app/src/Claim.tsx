import { encodeCall, sendCall, waitForReceipt } from "@hardhat-identity/client";
import { type Send, useVerification } from "@hardhat-identity/client/react";
import type { Address } from "viem";
import { Act } from "./Act.tsx";
import { chain } from "./chain.ts";
import { useWallet } from "./useWallet.ts";

const { VITE_SERVICE_URL: baseUrl, VITE_AIRDROP: airdrop } = import.meta.env;

/** One transaction. */
export function Claim({ account }: { readonly account: Address | undefined }) {
  const chainId = chain.id;
  const wallet = useWallet(account);
  const { state, claim } = useVerification({ account, wallet, consumer: airdrop, chainId, baseUrl });

  const send: Send = async ({ verification, wallet, account: from }) => {
    const abi = "claim(bytes32 identityHash, uint40 expiration, bytes signature)";
    const data = encodeCall({ abi, verification });
    const hash = await sendCall(wallet, { from, chainId, to: airdrop, data });
    await waitForReceipt(wallet, { hash });
  };

  return (
    <section>
      <h2>Claim</h2>
      <p>For microblog accounts with more than 1000 followers.</p>
      <Act name="Claim" account={account} state={state} onPress={() => claim(send)} />
    </section>
  );
}
