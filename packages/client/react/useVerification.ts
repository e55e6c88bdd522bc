import {
  buildSignInMessage,
  type Eip1193Connection,
  IdentityError,
  requestVerification,
  type SignedVerification,
  signMessage,
} from "@hardhat-identity/client";
import { useRef, useState } from "react";

/** The state of one claim by one account. */
export type ClaimState =
  /** No wallet is connected. */
  | { readonly status: "disconnected" }
  | { readonly status: "ready" | "signing" | "sending" | "done" }
  /** The person must prove an account at `verifyUrl`, and comes back. */
  | { readonly status: "needs-account"; readonly verifyUrl: string }
  /** Something was sent, or may have been, and nobody can tell what came of it: do not offer the claim again. */
  | { readonly status: "unknown"; readonly error: IdentityError }
  /** The proven account does not meet the contract's conditions. */
  | { readonly status: "needs-conditions"; readonly error: IdentityError }
  /** The person declined, or the service, the wallet or the contract refused. */
  | { readonly status: "refused"; readonly error: unknown };

/** Sends a verification to the consumer, and waits until it is accepted. */
export type Send = (granted: {
  readonly verification: SignedVerification;
  readonly wallet: Eip1193Connection;
  readonly account: string;
}) => Promise<unknown>;

/** The claim of one contract, by the connected account. */
export interface VerificationOptions {
  /** The connected account; `undefined` without one, also while the app reconnects. */
  readonly account: string | undefined;
  /** The wallet, or a function that gives it when the person claims. */
  readonly wallet: Eip1193Connection | (() => Eip1193Connection | Promise<Eip1193Connection>);
  /** Address of the contract. */
  readonly consumer: string;
  readonly chainId: number;
  /** URL of the signer service. */
  readonly baseUrl: string;
}

/**
 * Claims something that a person gets once: signs in, requests a verification, and passes it to your `send`. Each
 * account has a state of its own, so nothing of one is shown for another. A call during a claim does nothing.
 *
 * @example
 * ```tsx
 * const { state, claim } = useVerification({ account, wallet, consumer, chainId: 84532, baseUrl });
 * const isOff = ["disconnected", "signing", "sending", "done", "unknown"].includes(state.status);
 * <button disabled={isOff} onClick={() => claim(send)}>Claim</button>
 * ```
 */
export function useVerification(options: VerificationOptions): {
  readonly state: ClaimState;
  readonly claim: (send: Send) => Promise<void>;
} {
  const { account, wallet, consumer, chainId, baseUrl } = options;
  const [states, setStates] = useState<Readonly<Record<string, ClaimState>>>({});
  // A second press comes before React shows the first one's state.
  const claiming = useRef(new Set<string>());
  const key = `${account} ${consumer} ${chainId}`.toLowerCase();

  async function claim(send: Send): Promise<void> {
    if (account === undefined || claiming.current.has(key)) return;
    claiming.current.add(key);
    const become = (state: ClaimState) => setStates((all) => ({ ...all, [key]: state }));
    try {
      become({ status: "signing" });
      const connected = typeof wallet === "function" ? await wallet() : wallet;
      const message = buildSignInMessage({ address: account, consumer, chainId });
      const signature = await signMessage(connected, { address: account, message });
      const verification = await requestVerification({ baseUrl, message, signature });
      become({ status: "sending" });
      await send({ verification, wallet: connected, account });
      become({ status: "done" });
    } catch (error) {
      become(describeFailure(error));
    } finally {
      claiming.current.delete(key);
    }
  }

  const state: ClaimState =
    account === undefined ? { status: "disconnected" } : (states[key] ?? { status: "ready" });
  return { state, claim };
}

function describeFailure(error: unknown): ClaimState {
  if (!(error instanceof IdentityError)) return { status: "refused", error };
  const { code, verifyUrl } = error;
  if (verifyUrl !== undefined) return { status: "needs-account", verifyUrl };
  if (code === "conditions_not_satisfied") return { status: "needs-conditions", error };
  return { status: code === "client_outcome_unknown" ? "unknown" : "refused", error };
}
