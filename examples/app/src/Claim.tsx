import { encodeCall, type SignedVerification, sendCall, waitForReceipt } from "@hardhat-identity/client";
import { Act, type Connected } from "./Act.tsx";
import { chain } from "./chain.ts";
import { useVerification } from "./useVerification.ts";

const { VITE_SERVICE_URL: baseUrl, VITE_PROGRAM: program } = import.meta.env;

/** One transaction. */
export function Claim(connected: Connected) {
  const { wallet, account } = connected;
  const chainId = chain.id;
  const { progress, use } = useVerification({ wallet, account, consumer: program, chainId, baseUrl });

  async function send(verification: SignedVerification) {
    const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";
    const data = encodeCall({ abi, verification });
    const hash = await sendCall(wallet, { from: account, chainId, to: program, data });
    await waitForReceipt(wallet, { hash });
  }

  return (
    <section>
      <h2>Claim</h2>
      <p>For microblog accounts with more than 1000 followers.</p>
      <Act name="Claim" connected={connected} progress={progress} onPress={() => use(send)} />
    </section>
  );
}
