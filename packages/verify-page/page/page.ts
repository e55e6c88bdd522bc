import type { Overview, ReturnError } from "@hardhat-identity/protocol/verifyPage";
import type { VerifyTexts } from "./texts/en.tsx";

/** What is said, in the language of the moment. */
export type Says = (texts: VerifyTexts) => string;

/** What every screen gets. */
export interface Page {
  readonly overview: Overview;
  /** The app that sent the person, by the name that the operator gave it or else its host; nothing for whoever comes by themselves. */
  readonly app: string | undefined;
  /** What has just been done; said below the heading. */
  readonly notice: { readonly text: string | undefined; readonly isGood: boolean };
  /** Whether the person has come from a provider into another browser than the one in which they started. */
  readonly isElsewhere: boolean;
  /** What has just been done is no longer said. */
  unsay(): void;
  /** Whether the person has said that they mean this wallet, and not the one that the app asks for. */
  accepts(wallet: string): boolean;
  accept(wallet: string): void;
  /** Reads again what the service knows, and says something on the screen that comes up. */
  reload(says?: Says, tone?: "good"): Promise<void>;
  /** Shows, in place of the screen, that it is out of date. */
  outdate(): void;
  /** The session has ended: the same wallet is asked to sign in again. */
  signInAgain(): Promise<void>;
  /** Sends the person back to the app: at once, or after a look at where it leads. */
  leave(outcome: "success" | ReturnError): Promise<void>;
}
