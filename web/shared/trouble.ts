import { readRpcError } from "../../protocol/rpcError.ts";
import { ServiceFailure } from "./askService.ts";

/** What can be in the way of a person, by who has to do something about it. The catalogue has a sentence for each. */
export type Trouble =
  /** The person said no to the wallet. */
  | "refused"
  /** The wallet still asks the person something. */
  | "asksAlready"
  /** The wallet failed otherwise. */
  | "wallet"
  /** The node behind the development wallet, or the demo, does not answer. */
  | "node"
  | "unreachable"
  | "garbled"
  | "tooOften"
  | "chain"
  | "busy"
  | "internal";

/** A node did not answer, or something else answered in its place. */
export class NodeFailure extends Error {
  override readonly name = "NodeFailure";
}

/** Says whose trouble an error is. */
export function nameTrouble(error: unknown): Trouble {
  const chain = listCauses(error);
  if (chain.some((cause) => cause instanceof NodeFailure)) return "node";
  const failure = chain.find((cause) => cause instanceof ServiceFailure);
  if (failure !== undefined) return nameServiceTrouble(failure.code);
  const { code } = readRpcError(error);
  if (code === 4001 || Object(error).code === "USER_REJECTED") return "refused";
  return code === -32002 ? "asksAlready" : "wallet";
}

function nameServiceTrouble(code: ServiceFailure["code"]): Trouble {
  switch (code) {
    case "unreachable":
    case "garbled":
    case "internal":
      return code;
    case "rate_limited":
      return "tooOften";
    case "chain_unavailable":
      return "chain";
    case "overloaded":
    case "not_ready":
      return "busy";
    default:
      // The page asked for something that the service does not do: they are of different versions.
      return "internal";
  }
}

function listCauses(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 10; cause = Object(cause).cause) {
    causes.push(cause);
  }
  return causes;
}
