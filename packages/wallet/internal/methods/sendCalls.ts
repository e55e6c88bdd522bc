import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { SendCallsResult } from "@hardhat-identity/protocol/eip5792";
import { WalletError } from "../../errors.ts";
import { askUser, type Settings } from "../../settings.ts";
import { checkAccount, checkMethod } from "../authorized.ts";
import { chooseExecution } from "../execution.ts";
import type { DevelopmentNode } from "../node.ts";
import { readSendCalls, type SendCallsRequest } from "../sendCallsRequest.ts";
import { refuseIfRejected, type WalletState } from "../state.ts";
import { submitBatch } from "../submit.ts";

/** `wallet_sendCalls`. The order of the checks is the precedence of the errors; see docs/errors/wallet.md. */
export async function sendCalls(state: WalletState, params: unknown): Promise<SendCallsResult> {
  const { node, settings } = state;
  const { request, lackingCapabilities } = readSendCalls(params, settings);
  await checkChain(node, request.chainId);
  checkMethod(settings, "wallet_sendCalls");
  await checkAccount(node, settings, request.from);
  refuseLacking(lackingCapabilities);
  checkSize(request, settings.maxCalls);
  const id = reserveId(state, request.id);
  try {
    const execution = await chooseExecution(node, settings, request);
    await askForApproval(state, settings.approve, request);
    const submission = await inTurn(state, () => submitBatch(state, request, execution));
    const atomic = execution !== "sequential";
    const transactions = atomic ? 1 : request.calls.length;
    state.batches.set(id, { ...submission, id, chainId: request.chainId, atomic, transactions });
  } finally {
    state.reservedIds.delete(id);
  }
  return { batchId: id, status: "pending", id };
}

async function checkChain(node: DevelopmentNode, chainId: string): Promise<void> {
  const connected = await node.chainId();
  if (BigInt(chainId) !== BigInt(connected)) {
    throw new WalletError(
      "invalidParams",
      `chainId is ${chainId}, but the wallet is connected to ${connected}.`,
    );
  }
}

function refuseLacking(capabilities: readonly string[]): void {
  if (capabilities.length > 0) {
    throw new WalletError("capabilityNotSupported", `It lacks ${capabilities.join(", ")}.`);
  }
}

function checkSize({ calls }: SendCallsRequest, maxCalls: number): void {
  if (calls.length > maxCalls) {
    throw new WalletError(
      "batchTooLarge",
      `It has ${calls.length} calls; the wallet's setting maxCalls is ${maxCalls}.`,
    );
  }
}

function reserveId({ batches, reservedIds }: WalletState, id: string = randomId()): string {
  if (batches.has(id) || reservedIds.has(id))
    throw new WalletError("duplicateBatch", `It is ${describeValue(id)}.`);
  reservedIds.add(id);
  return id;
}

/** 63 hex digits, the first not zero: the OpenRPC description writes an id as an integer. */
function randomId(): string {
  return `0x1${bytesToHex(crypto.getRandomValues(new Uint8Array(31)))}`;
}

async function askForApproval(
  state: WalletState,
  approve: Settings["approve"],
  request: SendCallsRequest,
): Promise<void> {
  refuseIfRejected(state);
  if (!(await askUser(approve, request))) {
    throw new WalletError("userRejected", "The wallet's setting approve rejects it.");
  }
}

/** Submits one batch after the other, because concurrent batches of an account would use the same nonce. */
function inTurn<T>(state: WalletState, submit: () => Promise<T>): Promise<T> {
  const result = state.lastSubmission.then(async () => {
    state.isSubmitting = true;
    try {
      return await submit();
    } finally {
      state.isSubmitting = false;
    }
  });
  state.lastSubmission = result.catch(() => {});
  return result;
}
