import type { Overview, ReturnError } from "../../protocol/verifyPage.ts";
import { ServiceFailure } from "../shared/askService.ts";
import { isRefusal } from "../shared/wallets.ts";

/** What every screen gets. */
export interface Page {
  readonly overview: Overview;
  /** Reads again what the service knows, and says something above the screen that comes up. */
  reload(notice?: string): Promise<void>;
  /** Shows, in place of the screen, that it is out of date: the service has done nothing for it. */
  outdate(failure: ServiceFailure): void;
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
      return "You are not signed in any more: you signed out in another tab, or were away too long. Nothing was done.";
    case "stale_page":
      return "In another tab or window you signed in with another wallet, or went on with this one. What you clicked was about how things were before, so nothing was done.";
    case "internal":
      return "Something went wrong in the service. Nothing was stored; try again.";
    default:
      return error.message;
  }
}
