import { setTimeout } from "node:timers/promises";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { CallsStatus } from "../../../wallet/index.ts";

/** A wallet's refusal, as JSON-RPC has it. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** What came of a batch: how it stands, or why the wallet refused it. */
export type Outcome = { readonly status: CallsStatus } | { readonly refusal: Refusal };

/**
 * Has a wallet send a batch as it is, and waits until it is no longer pending.
 *
 * @param request The one parameter of `wallet_sendCalls`.
 * @param timeout Milliseconds after which a batch that is still pending is let be.
 */
export async function sendBatch(node: Eip1193Connection, request: object, timeout: number): Promise<Outcome> {
  let batchId: string;
  try {
    const result = await node.request({ method: "wallet_sendCalls", params: [request] });
    ({ batchId } = result as { batchId: string });
  } catch (error) {
    const { code, message } = error as Partial<Refusal>;
    if (typeof code !== "number" || message === undefined) throw error;
    return { refusal: { code, message } };
  }
  const read = async () =>
    (await node.request({ method: "wallet_getCallsStatus", params: [batchId] })) as CallsStatus;
  const deadline = Date.now() + timeout;
  let status = await read();
  while (status.status === 100 && Date.now() < deadline) {
    await setTimeout(200);
    status = await read();
  }
  return { status };
}
