import {
  encodeCall,
  isIdentityUsed,
  type SignedVerification,
  sendCalls,
  waitForCalls,
} from "@hardhat-identity/client";
import { verifiedVaultAbi } from "@hardhat-identity/contracts/abi";
import { parseEther } from "viem";
import { Act, type Connected } from "./Act.tsx";
import { chain, node } from "./chain.ts";
import { useVerification } from "./useVerification.ts";

const { VITE_SERVICE_URL: baseUrl, VITE_VAULT: vault } = import.meta.env;
const amount = parseEther("25");

/** Several calls as one batch: get tokens, let the vault take them, deposit. */
export function Deposit(connected: Connected) {
  const { wallet, account } = connected;
  const chainId = chain.id;
  const { progress, use } = useVerification({ wallet, account, consumer: vault, chainId, baseUrl });

  async function send(verification: SignedVerification) {
    const { identityHash } = verification;
    // A batch that is reverted does not say why.
    if (await isIdentityUsed(wallet, { consumer: vault, identityHash, block: "pending" })) {
      throw new Error("You have a position already, with this wallet or another one.");
    }
    const token = await node.readContract({ address: vault, abi: verifiedVaultAbi, functionName: "token" });
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
      chainId,
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
      <h2>Deposit</h2>
      <p>For photo accounts with enough followers. Three calls, all or none, as one batch of the wallet's.</p>
      <Act name="Deposit" connected={connected} progress={progress} onPress={() => use(send)} />
    </section>
  );
}
