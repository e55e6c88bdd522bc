import { readChainTime } from "../../chain/time.ts";
import type { VerifyContext } from "./context.ts";

/**
 * When an account is being proven, unix seconds: by the wall clock, or by a local node's chain, whose clock runs ahead
 * when it mines fast.
 */
export async function authenticationTime(
  context: Pick<VerifyContext, "node" | "developmentRpcUrl">,
): Promise<number> {
  const wallClock = Math.floor(Date.now() / 1000);
  if (context.developmentRpcUrl === undefined) return wallClock;
  return (await readChainTime(context.node.open(), { isLocal: async () => true, wallClock })).now;
}
