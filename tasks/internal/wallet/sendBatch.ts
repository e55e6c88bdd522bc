import { setTimeout } from "node:timers/promises";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type CallsStatus, sendCallsVersion } from "@hardhat-identity/protocol/eip5792";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { findAccount } from "./findAccount.ts";

/** The outcome of a batch: its status, or the code and message of the wallet's refusal. */
export type Outcome =
  | { readonly status: CallsStatus }
  | { readonly refusal: { readonly code: number; readonly message: string } };

/** The error codes of nodes for an unknown method. */
const unknownMethod: readonly number[] = [-32601, -32004];

/**
 * Sends a batch through a node's wallet and waits until it is no longer pending.
 *
 * @param batch Fields of the parameter of `wallet_sendCalls`. Defaults: from the node's first account, on its chain,
 * atomic.
 * @param timeout Milliseconds to wait for a pending batch.
 * @throws InvalidInputError if the node has no wallet, or took the batch and does not tell its status.
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
  let result: unknown;
  try {
    result = await node.request({ method: "wallet_sendCalls", params: [request] });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (typeof code !== "number" || typeof message !== "string") throw error;
    if (!unknownMethod.includes(code)) return { refusal: { code, message } };
    throw new InvalidInputError(
      "The node has no wallet. A node that runs with hardhat-identity has one: `hardhat node` or `hardhat identity dev`.",
    );
  }
  // EIP-5792 has named the id in three ways.
  const { id, batchId } = Object(result);
  return { status: await waitForBatch(node, batchId ?? id ?? result, timeout) };
}

async function waitForBatch(node: Eip1193Connection, batchId: string, timeout: number): Promise<CallsStatus> {
  const read = async () => {
    try {
      return (await node.request({ method: "wallet_getCallsStatus", params: [batchId] })) as CallsStatus;
    } catch (error) {
      throw new InvalidInputError(
        `The wallet took batch ${batchId}, and its status cannot be read: ${readRpcError(error).message}. It may still be included; do not send it again.`,
      );
    }
  };
  const deadline = performance.now() + timeout;
  let status = await read();
  while (status.status === 100 && performance.now() < deadline) {
    await setTimeout(200);
    status = await read();
  }
  return status;
}
