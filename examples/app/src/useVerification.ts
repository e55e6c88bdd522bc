import {
  buildSignInMessage,
  type Eip1193Connection,
  IdentityError,
  requestVerification,
  type SignedVerification,
  signMessage,
} from "@hardhat-identity/client";
import { useState } from "react";
import type { Address } from "viem";
import { useConfig } from "wagmi";
import { getConnectorClient } from "wagmi/actions";

/** The state of one claim by one account. */
export type ClaimState =
  /** No wallet is connected. */
  | { readonly status: "disconnected" }
  | { readonly status: "ready" | "signing" | "sending" | "done" }
  /** The person must prove an account at `verifyUrl`, and comes back. */
  | { readonly status: "needs-account"; readonly verifyUrl: string }
  /** The proven account does not meet the contract's conditions. */
  | { readonly status: "needs-conditions"; readonly error: IdentityError }
  /** The person declined, or the service, the wallet or the contract refused. */
  | { readonly status: "refused"; readonly error: unknown };

/** Sends a verification to the consumer, and waits until it is accepted. */
export type Send = (granted: {
  readonly verification: SignedVerification;
  readonly wallet: Eip1193Connection;
  readonly account: Address;
}) => Promise<unknown>;

/**
 * Claims something that a person gets once: signs in, requests a verification, and passes it to your `send`. Each
 * account has a state of its own, so nothing of one is shown for another.
 *
 * @param options.account The connected account; `undefined` without one, also while wagmi reconnects.
 * @param options.baseUrl URL of the signer service.
 * @example
 * ```tsx
 * const { address, status } = useConnection(); // In wagmi 2: useAccount().
 * const account = status === "connected" ? address : undefined;
 * const { state, claim } = useVerification({ account, consumer, chainId: 84532, baseUrl });
 * const isOff = ["disconnected", "signing", "sending", "done"].includes(state.status);
 * <button disabled={isOff} onClick={() => claim(send)}>Claim</button>
 * ```
 */
export function useVerification(options: {
  readonly account: Address | undefined;
  readonly consumer: string;
  readonly chainId: number;
  readonly baseUrl: string;
}) {
  const { account, consumer, chainId, baseUrl } = options;
  const config = useConfig();
  const [states, setStates] = useState<Readonly<Record<Address, ClaimState>>>({});

  async function claim(send: Send): Promise<void> {
    if (account === undefined) return;
    const become = (state: ClaimState) => setStates((all) => ({ ...all, [account]: state }));
    try {
      become({ status: "signing" });
      // The wrong chain is an IdentityError of `sendCall` and `sendCalls`.
      const wallet = await getConnectorClient(config, { account, assertChainId: false });
      const message = buildSignInMessage({ address: account, consumer, chainId });
      const signature = await signMessage(wallet, { address: account, message });
      const verification = await requestVerification({ baseUrl, message, signature });
      become({ status: "sending" });
      await send({ verification, wallet, account });
      become({ status: "done" });
    } catch (error) {
      become(describeFailure(error));
    }
  }

  const state: ClaimState =
    account === undefined ? { status: "disconnected" } : (states[account] ?? { status: "ready" });
  return { state, claim };
}

function describeFailure(error: unknown): ClaimState {
  if (!(error instanceof IdentityError)) return { status: "refused", error };
  const { code, verifyUrl } = error;
  if (verifyUrl !== undefined) return { status: "needs-account", verifyUrl };
  return { status: code === "conditions_not_satisfied" ? "needs-conditions" : "refused", error };
}
