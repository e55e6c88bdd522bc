import { IdentityError } from "@hardhat-identity/client/identityError";
import { membersOf } from "@hardhat-identity/protocol/json";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { ServiceFailure } from "./fetchAnswer.ts";

/** The problems that a person can meet, by who can solve them. The catalogue has a sentence for each. */
export type Trouble =
  /** The person said no to the wallet. */
  | "refused"
  /** The wallet still asks the person something. */
  | "asksAlready"
  /** The wallet showed no account. */
  | "noAccounts"
  /** The wallet failed otherwise. */
  | "wallet"
  /** The node behind the development wallet, or the demo, does not answer. */
  | "node"
  | "unreachable"
  | "garbled"
  | "tooOften"
  | "chain"
  | "store"
  | "busy"
  | "internal"
  /** The page and the service are of different versions, or something between them changes what is sent. */
  | "mismatch"
  /** The page itself failed. */
  | "page";

/** A node did not answer, or something else answered in its place. */
export class NodeFailure extends Error {
  override readonly name = "NodeFailure";
}

/** Its cause is the value that the wallet has thrown. */
export class WalletFailure extends Error {
  override readonly name = "WalletFailure";
}

/** A wallet showed no account. */
export class NoAccounts extends Error {
  override readonly name = "NoAccounts";
}

/** Codes that the page handles where it asks, or that only a service of another version answers. */
type Mismatch =
  | "not_signed_in"
  | "stale_page"
  | "foreign_origin"
  | "invalid_argument"
  | "invalid_policy"
  | "contract_not_found"
  | "verification_not_found"
  | "needs_reauth"
  | "conditions_not_satisfied"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type";

const serviceTroubles: Readonly<Record<Exclude<ServiceFailure["code"], Mismatch>, Trouble>> = {
  unreachable: "unreachable",
  garbled: "garbled",
  internal: "internal",
  rate_limited: "tooOften",
  chain_unavailable: "chain",
  store_unavailable: "store",
  overloaded: "busy",
  not_ready: "busy",
};

/** Says whose trouble an error is. */
export function nameTrouble(error: unknown): Trouble {
  const chain = listCauses(error);
  if (chain.some((cause) => cause instanceof NodeFailure)) return "node";
  const failure = chain.find((cause) => cause instanceof ServiceFailure);
  if (failure !== undefined) return nameServiceTrouble(failure.code);
  if (chain.some((cause) => cause instanceof NoAccounts)) return "noAccounts";
  const { code, isRefusal } = readRpcError(error);
  if (isRefusal) return "refused";
  if (code === -32002) return "asksAlready";
  return chain.some(isOfWallet) ? "wallet" : "page";
}

/** Says whose trouble it is that the service answered with a code; a newer service may have others. */
export const nameServiceTrouble = (code: string): Trouble =>
  Object.hasOwn(serviceTroubles, code) ? serviceTroubles[code as keyof typeof serviceTroubles] : "mismatch";

/** The client has these codes for an answer of a wallet that cannot be read, and for a signature of another account. */
const isOfWallet = (error: unknown): boolean =>
  error instanceof WalletFailure ||
  (error instanceof IdentityError &&
    ["client_invalid_response", "client_wrong_account"].includes(error.code));

function listCauses(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10; cause = membersOf(cause).cause) {
    causes.push(cause);
  }
  return causes;
}
