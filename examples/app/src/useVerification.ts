import {
  buildSignInMessage,
  type Eip1193Connection,
  IdentityError,
  requestVerification,
  type SignedVerification,
  signMessage,
} from "@hardhat-identity/client";
import { useState } from "react";

/** Where a use of a verification stands. */
export type Progress =
  | { readonly status: "idle" | "signing" | "sending" | "done" }
  /** The person has to prove an account there, and comes back. */
  | { readonly status: "prove"; readonly verifyUrl: string }
  | { readonly status: "refused"; readonly error: unknown };

/**
 * Has the wallet verified for a consumer, and hands the verification to what sends it.
 *
 * @example
 * ```tsx
 * const { progress, use } = useVerification({ wallet, account, consumer, chainId: 84532, baseUrl });
 * <button onClick={() => use((verification) => send(verification))}>Claim</button>
 * ```
 */
export function useVerification(options: {
  readonly wallet: Eip1193Connection;
  readonly account: string;
  readonly consumer: string;
  readonly chainId: number;
  /** The signer service. */
  readonly baseUrl: string;
}) {
  const { wallet, account, consumer, chainId, baseUrl } = options;
  const [progress, setProgress] = useState<Progress>({ status: "idle" });

  async function use(send: (verification: SignedVerification) => Promise<unknown>): Promise<void> {
    try {
      setProgress({ status: "signing" });
      const message = buildSignInMessage({ address: account, consumer, chainId });
      const signature = await signMessage(wallet, { address: account, message });
      const verification = await requestVerification({ baseUrl, message, signature });
      setProgress({ status: "sending" });
      await send(verification);
      setProgress({ status: "done" });
    } catch (error) {
      const verifyUrl = error instanceof IdentityError ? error.verifyUrl : undefined;
      setProgress(verifyUrl === undefined ? { status: "refused", error } : { status: "prove", verifyUrl });
    }
  }

  return { progress, use };
}
