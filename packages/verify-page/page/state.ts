import type { Overview, ReturnAddress } from "../messages.ts";
import type { Says } from "./page.ts";

/** The page's state. */
export interface State {
  /** The service's answer; `undefined` until it has been read. */
  readonly overview?: Overview | undefined;
  /** Why it could not be read the last time. */
  readonly failure?: unknown;
  /** Where the app is whose link is wrong, if that is known. */
  readonly wayBack?: ReturnAddress | undefined;
  /** Whether the screen is out of date. */
  readonly isOutdated: boolean;
  /** An address of the app that the person is asked to look at before they go there. */
  readonly leavingTo?: string | undefined;
  /** The wallet that the person means, although the app asks for another one. */
  readonly accepted?: string | undefined;
  /** The notice below the heading about the last action. */
  readonly notice: { readonly says: Says | undefined; readonly isGood: boolean };
}

export type Action =
  | { readonly type: "read"; readonly overview: Overview }
  | { readonly type: "fail"; readonly failure: unknown; readonly wayBack: ReturnAddress | undefined }
  | { readonly type: "outdate" }
  | { readonly type: "say"; readonly says: Says | undefined; readonly isGood: boolean }
  | { readonly type: "accept"; readonly wallet: string }
  | { readonly type: "leave"; readonly to: string }
  | { readonly type: "stay" };

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "read":
      return { ...state, overview: action.overview, failure: undefined, isOutdated: false };
    case "fail":
      return { ...state, failure: action.failure, wayBack: action.wayBack };
    case "outdate":
      return { ...state, isOutdated: true };
    case "say":
      return { ...state, notice: { says: action.says, isGood: action.isGood } };
    case "accept":
      return { ...state, accepted: action.wallet };
    case "leave":
      return { ...state, leavingTo: action.to };
    case "stay":
      return { ...state, leavingTo: undefined };
  }
}
