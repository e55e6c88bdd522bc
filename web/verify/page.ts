import type { Overview, ReturnError } from "../../protocol/verifyPage.ts";
import { isRefusal } from "../shared/wallets.ts";
import { ServiceFailure } from "./service.ts";

/** What every screen gets. */
export interface Page {
  readonly overview: Overview;
  /** Reads again what the service knows, and says something above the screen that comes up. */
  reload(notice?: string): Promise<void>;
  /** Sends the person back to the app: at once, or after a look at where it leads. */
  leave(outcome: "success" | ReturnError): void;
}

/** What went wrong, for the person to read. */
export function explain(error: unknown): string {
  if (isRefusal(error)) return "Your wallet says that you refused. Nothing happened; you can try again.";
  if (!(error instanceof ServiceFailure)) {
    return "Your wallet did not do it. Open it, see whether it is locked or waits for you, and try again.";
  }
  switch (error.code) {
    case "rate_limited":
      return "That was too often in a short time. Wait a minute and try again.";
    case "chain_unavailable":
      return "The service cannot check your wallet's signature right now. Wait a moment and try again.";
    case "not_signed_in":
      return "You were signed out, for you were away too long. Load this page again and sign in.";
    case "internal":
      return "Something went wrong in the service. Nothing was stored; try again.";
    default:
      return error.message;
  }
}
