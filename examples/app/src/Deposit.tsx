import { encodeCall, isIdentityUsed, sendCalls, waitForCalls } from "@hardhat-identity/client";
import { type Send, useVerification } from "@hardhat-identity/client/react";
import { verifiedVaultAbi } from "@hardhat-identity/contracts/abi";
import { type Address, parseEther } from "viem";
import { useConfig } from "wagmi";
import { readContract } from "wagmi/actions";
import { Act } from "./Act.tsx";
import { chain } from "./chain.ts";
import { useWallet } from "./useWallet.ts";

const { VITE_SERVICE_URL: baseUrl, VITE_VAULT: vault } = import.meta.env;
const amount = parseEther("25");

/** Several calls as one batch: get tokens, let the vault take them, deposit. */
export function Deposit({ account }: { readonly account: Address | undefined }) {
  const chainId = chain.id;
  const config = useConfig();
  const wallet = useWallet(account);
  const { state, claim } = useVerification({ account, wallet, consumer: vault, chainId, baseUrl });

  const send: Send = async ({ verification, wallet, account: from }) => {
    const { identityHash } = verification;
    // A batch that is reverted does not say why.
    if (await isIdentityUsed(wallet, { consumer: vault, identityHash, block: "pending" })) {
      throw new Error("You have a position already, with this wallet or another one.");
    }
    const token = await readContract(config, {
      address: vault,
      abi: verifiedVaultAbi,
      functionName: "token",
    });
    const mint = encodeCall({ abi: "mint(address to, uint256 amount)", args: { to: from, amount } });
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
      from,
      chainId,
      atomicRequired: true,
      calls: [
        { to: token, data: mint },
        { to: token, data: approve },
        { to: vault, data: deposit },
      ],
    });
    await waitForCalls(wallet, { batchId });
  };

  return (
    <section>
      <h2>Deposit</h2>
      <p>For photo accounts with enough followers. Three calls, all or none, as one batch of the wallet's.</p>
      <Act name="Deposit" account={account} state={state} onPress={() => claim(send)} />
    </section>
  );
}
