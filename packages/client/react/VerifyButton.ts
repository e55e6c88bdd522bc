import { IdentityError } from "@hardhat-identity/client";
import { createElement, Fragment, type ReactElement, useRef } from "react";
import { type ClaimState, type Send, useVerification, type VerificationOptions } from "./useVerification.ts";

/** The button's text in each state, unless `labels` has another. */
const english: Readonly<Record<ClaimState["status"], string>> = {
  disconnected: "Connect your wallet first",
  ready: "Claim",
  signing: "Sign in your wallet …",
  "needs-account": "Verify your account",
  sending: "Claiming …",
  done: "Claimed",
  unknown: "Check your wallet",
  "needs-conditions": "Check again",
  refused: "Try again",
};

/** Milliseconds within which a second press is part of a double click. */
const doubleClickMs = 1_000;

/** The properties of `VerifyButton`. */
export interface VerifyButtonProps extends VerificationOptions {
  /** Sends the verification to the contract, and waits until it is accepted. */
  readonly send: Send;
  /** The button's text by state, such as `{ ready: "Mint" }`; the others stay in English. */
  readonly labels?: Partial<Record<ClaimState["status"], string>>;
  /** Gives the text below the button; `describeClaim` by default. */
  readonly describe?: (state: ClaimState) => string;
  /** Goes to the verify page; by default, in place of the current page. */
  readonly leave?: (verifyUrl: string) => void;
  /** Class of the button, `identity-button` by default. */
  readonly className?: string;
}

/**
 * A button that takes a person through one claim: they sign in, verify their account if they must, and claim. Has no
 * style. Its class is `identity-button`, its attribute `data-status` the state; below it, `identity-message` is the class
 * of what went wrong.
 *
 * @example
 * ```tsx
 * <VerifyButton account={account} wallet={wallet} consumer={airdrop} chainId={84532} baseUrl={baseUrl} send={send} />
 * ```
 */
export function VerifyButton(props: VerifyButtonProps): ReactElement {
  const { send, labels, describe = describeClaim, leave = goTo, className = "identity-button" } = props;
  const { state, claim } = useVerification(props);
  const { status } = state;
  const left = useRef<{ readonly state: ClaimState; readonly at: number } | undefined>(undefined);
  // A disabled button would lose the keyboard's focus between two steps.
  const isOff = ["disconnected", "signing", "sending", "done", "unknown"].includes(status);

  function press(): void {
    if (isOff) return;
    // A person who is here again, by the back button or from another tab, may have verified the account.
    const isHereAgain = left.current?.state === state && performance.now() - left.current.at > doubleClickMs;
    if (state.status !== "needs-account" || isHereAgain) return void claim(send);
    if (left.current?.state === state) return;
    left.current = { state, at: performance.now() };
    leave(state.verifyUrl);
  }

  const shown = { className, "data-status": status, "aria-disabled": isOff, onClick: press };
  const message = { role: "status", className: "identity-message" };
  return createElement(
    Fragment,
    null,
    createElement("button", { type: "button", ...shown }, labels?.[status] ?? english[status]),
    createElement("span", message, describe(state)),
  );
}

/** Selector of `IdentityAlreadyUsed(bytes32)`, the refusal that a person can understand. */
const identityAlreadyUsed = "0x70d9ae05";

/** Says in English what a person must know of a claim; nothing while it goes well. */
export function describeClaim(state: ClaimState): string {
  if (state.status === "unknown")
    return "Your claim may still go through. Look in your wallet before you load this page again.";
  if (state.status === "needs-account") return "First prove that you have the account. You come back here.";
  if (state.status !== "refused" && state.status !== "needs-conditions") return "";
  const { error } = state;
  if (error instanceof IdentityError && error.code === "client_user_rejected") {
    return "You declined in your wallet. Nothing was sent.";
  }
  if (error instanceof IdentityError && error.revertData?.startsWith(identityAlreadyUsed)) {
    return "You have claimed before, with this wallet or another one.";
  }
  return error instanceof Error ? error.message : String(error);
}

/** Typed here, because a server has no `location`. */
function goTo(url: string): void {
  (globalThis as { location?: { assign(url: string): void } }).location?.assign(url);
}
