"use client";
// `@hardhat-identity/client/react`: a claim in React 18 or 19. React is the app's own.
export {
  type ClaimState,
  type Send,
  useVerification,
  type VerificationOptions,
} from "./react/useVerification.ts";
export { describeClaim, VerifyButton, type VerifyButtonProps } from "./react/VerifyButton.ts";
