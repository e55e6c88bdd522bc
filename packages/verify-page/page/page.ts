import type { Overview, ReturnError } from "../messages.ts";
import type { VerifyTexts } from "./texts/en.tsx";

/** A text, in the current language. */
export type Says = (texts: VerifyTexts) => string;

/** The properties of every screen. */
export interface Page {
  readonly overview: Overview;
  /**
   * The app that sent the person, by the name that the operator gave it, or its host; `undefined` for people who came
   * without an app.
   */
  readonly app: string | undefined;
  /** The result of the last action, shown below the heading. */
  readonly notice: { readonly text: string | undefined; readonly isGood: boolean };
  /** Whether the person has come from a provider into another browser than the one in which they started. */
  readonly isElsewhere: boolean;
  /** Removes the notice. */
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
