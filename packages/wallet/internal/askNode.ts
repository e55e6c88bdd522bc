import { findUnauthorized } from "./authorized.ts";
import { refuseIfRejected, type WalletState } from "./state.ts";

/** Has a node do something for an account, if the account is authorized (4100) and the user does not reject it (4001). */
export async function askNode(
  state: WalletState,
  method: string,
  params: readonly unknown[] | object,
): Promise<unknown> {
  const refusal = findUnauthorized(state.settings, method, params);
  if (refusal !== undefined) throw refusal;
  refuseIfRejected(state);
  return state.node.request({ method, params });
}
