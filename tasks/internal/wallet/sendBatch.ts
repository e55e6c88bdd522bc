import { setTimeout } from "node:timers/promises";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { type CallsStatus, type SendCallsResult, sendCallsVersion } from "../../../protocol/eip5792.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { findAccount } from "./findAccount.ts";

/** What came of a batch: how it stands, or the code and message with which the wallet refused it. */
export type Outcome =
  | { readonly status: CallsStatus }
  | { readonly refusal: { readonly code: number; readonly message: string } };

/** What nodes answer to a method that they do not know. */
const unknownMethod: readonly number[] = [-32601, -32004];

/**
 * Has a node's wallet send a batch, and waits until it is no longer pending.
 *
 * @param batch Members of the one parameter of `wallet_sendCalls`. Those that it lacks are made up: sent from the
 * node's first account, on its chain, all or nothing.
 * @param timeout Milliseconds after which a batch that is still pending is let be.
 * @throws InvalidInputError when the node has no wallet.
 */
export async function sendBatch(
  node: Eip1193Connection,
  batch: Readonly<Record<string, unknown>>,
  timeout: number,
): Promise<Outcome> {
  const request = {
    version: sendCallsVersion,
    from: batch.from ?? (await findAccount(node, "--from", "0")),
    chainId: await node.request({ method: "eth_chainId" }),
    atomicRequired: true,
    ...batch,
  };
  let batchId: string;
  try {
    const result = await node.request({ method: "wallet_sendCalls", params: [request] });
    ({ batchId } = result as SendCallsResult);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (typeof code !== "number" || typeof message !== "string") throw error;
    if (!unknownMethod.includes(code)) return { refusal: { code, message } };
    throw new InvalidInputError(
      "The node has no wallet. One that runs with hardhat-identity has: `hardhat node` or `hardhat identity dev`.",
    );
  }
  return { status: await waitForBatch(node, batchId, timeout) };
}

async function waitForBatch(node: Eip1193Connection, batchId: string, timeout: number): Promise<CallsStatus> {
  const read = async () =>
    (await node.request({ method: "wallet_getCallsStatus", params: [batchId] })) as CallsStatus;
  const deadline = Date.now() + timeout;
  let status = await read();
  while (status.status === 100 && Date.now() < deadline) {
    await setTimeout(200);
    status = await read();
  }
  return status;
}
