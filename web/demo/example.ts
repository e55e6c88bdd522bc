import {
  buildSignInMessage,
  type Eip1193Connection,
  encodeCall,
  isIdentityUsed,
  requestVerification,
  sendCall,
  sendCalls,
  signMessage,
  waitForCalls,
  waitForReceipt,
} from "../../client/index.ts";

// What the demo shows beside each step is cut out of this file, from its mark to the next, so that it compiles.
export async function claimAsAppsDo(
  wallet: Eip1193Connection,
  node: Eip1193Connection,
  [address, consumer, chainId, baseUrl]: [string, string, number, string],
): Promise<void> {
  // #message
  const message = buildSignInMessage({ address, consumer, chainId });
  // #signature
  const signature = await signMessage(wallet, { address, message });
  // #verification
  const verification = await requestVerification({ baseUrl, message, signature });
  // #call
  const abi = "claim(bytes32 identityHash, uint40 expiration, bytes signature)";
  const data = encodeCall({ abi, verification });
  // #transaction
  const hash = await sendCall(wallet, { from: address, chainId, to: consumer, data });
  // #pending
  const { identityHash } = verification;
  const used = await isIdentityUsed(node, { consumer, identityHash, block: "pending" });
  // #receipt
  const receipt = await waitForReceipt(wallet, { hash });
  // #batch
  const calls = [{ to: consumer, data }];
  const { batchId } = await sendCalls(wallet, { from: address, chainId, calls, atomicRequired: true });
  const { receipts } = await waitForCalls(wallet, { batchId });
  // #end
  void [used, receipt, receipts];
}
