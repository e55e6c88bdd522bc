import {
  buildSignInMessage,
  type Call,
  IdentityError,
  isIdentityUsed,
  type Receipt,
  requestVerification,
  sendCall,
  sendCalls,
  signMessage,
  waitForCalls,
  waitForReceipt,
  watchIdentity,
} from "../../client/index.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { describeRevert } from "../../protocol/reverts.ts";
import { connectNode, readToken } from "./chain.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";

/** One thing that happened, and what travelled. */
export interface Step {
  readonly title: string;
  readonly text: string;
  readonly payload?: string;
}

/** How a claim ended. */
export type Outcome =
  | { readonly kind: "admitted"; readonly identityHash: string; readonly gasUsed: bigint }
  /** The person has to prove an account, there. */
  | { readonly kind: "redirect"; readonly code: string; readonly verifyUrl: string }
  | { readonly kind: "refused"; readonly title: string; readonly text: string };

export interface ClaimInput {
  readonly config: DemoConfig;
  readonly consumer: Consumer;
  readonly account: string;
  readonly wallet: Eip1193Connection;
  /** Told of every step when it has been taken. */
  onStep(step: Step): void;
  /** Holds the block back until this is over; by default the node mines as it does. */
  readonly holdBlock?: (() => Promise<void>) | undefined;
}

/** Goes through a claim as an app does: message, signature, verification, call, and a look at the chain. */
export async function claim(input: ClaimInput): Promise<Outcome> {
  const { config, consumer, account, wallet, onStep } = input;
  try {
    const message = buildSignInMessage({
      address: account,
      consumer: consumer.address,
      chainId: config.chainId,
    });
    onStep({
      title: "The app writes a message",
      text: "It names the wallet, the chain and the contract.",
      payload: message,
    });

    const signature = await signMessage(wallet, { address: account, message });
    onStep({ title: "The wallet signs it", text: "Nothing is sent to a chain yet.", payload: signature });

    const verification = await requestVerification({ baseUrl: config.signerUrl, message, signature });
    onStep({
      title: "The service answers with a verification",
      text: "It compared the contract's policy with what it knows of the wallet. This is all that the app gets:",
      payload: JSON.stringify(verification, null, 2),
    });

    const token = consumer.takesToken ? await readToken(connectNode(config.rpcUrl), consumer.address) : "";
    const calls = consumer.calls(verification, { account, token });
    onStep({
      title: calls.length === 1 ? "The app encodes the call" : `The app encodes ${calls.length} calls`,
      text: `To ${[...new Set(calls.map(({ to }) => to))].join(" and ")}:`,
      payload: calls.map(({ data }) => data).join("\n\n"),
    });

    const receipt = await submit(input, calls, verification.identityHash);
    const gasUsed = BigInt(String(receipt.gasUsed));
    onStep({
      title: "The contract lets the person in",
      text: `It asked the registry, and noted the identity, in block ${Number(receipt.blockNumber)}, for ${gasUsed.toLocaleString("en")} gas.`,
    });
    return { kind: "admitted", identityHash: verification.identityHash, gasUsed };
  } catch (error) {
    return explain(error, input);
  }
}

async function submit(
  { config, consumer, account, wallet, onStep, holdBlock }: ClaimInput,
  calls: readonly Call[],
  identityHash: string,
): Promise<Receipt> {
  const { chainId } = config;
  const [call, another] = calls;
  if (call === undefined || another !== undefined) {
    const { batchId } = await sendCalls(wallet, { from: account, chainId, calls, atomicRequired: true });
    onStep({
      title: "The wallet takes the batch",
      text: "All of it happens, or nothing (wallet_sendCalls).",
      payload: batchId,
    });
    const { receipts } = await waitForCalls(wallet, { batchId, interval: 200 });
    const [receipt] = receipts;
    if (receipt === undefined) throw new Error("The batch has no receipt.");
    return receipt;
  }
  const node = connectNode(config.rpcUrl);
  const hash = await (holdBlock ? sendHeld : sendCall)(wallet, { ...call, from: account, chainId }, node);
  onStep({ title: "The wallet sends the transaction", text: "This is its hash:", payload: hash });
  for await (const used of watchIdentity(node, { consumer: consumer.address, identityHash })) {
    if (used) break;
  }
  const isMined = await isIdentityUsed(node, { consumer: consumer.address, identityHash, block: "latest" });
  onStep({
    title: isMined ? "The identity is used" : "The identity is used, before it is in a block",
    text: isMined
      ? "The block was mined at once, so pending and latest both say so."
      : "A read at pending says so already; at latest it does not yet. An app need not wait for the block to tell its user.",
  });
  await holdBlock?.();
  if (holdBlock) await resumeMining(node);
  return waitForReceipt(wallet, { hash, interval: 200 });
}

/** Sends a transaction while the local node mines nothing. */
async function sendHeld(
  wallet: Eip1193Connection,
  call: Parameters<typeof sendCall>[1],
  node: Eip1193Connection,
): Promise<string> {
  await node.request({ method: "evm_setAutomine", params: [false] });
  try {
    return await sendCall(wallet, call);
  } catch (error) {
    await resumeMining(node);
    throw error;
  }
}

async function resumeMining(node: Eip1193Connection): Promise<void> {
  await node.request({ method: "evm_mine" });
  await node.request({ method: "evm_setAutomine", params: [true] });
}

function explain(error: unknown, { onStep }: ClaimInput): Outcome {
  if (!(error instanceof IdentityError)) {
    return { kind: "refused", title: "Something went wrong", text: String(error) };
  }
  const { code, message, status, verifyUrl, revertData } = error;
  if (status !== undefined && status !== 200) {
    onStep({
      title: `The service answers ${status}`,
      text: "No verification, so no transaction is sent. The body says why:",
      payload: JSON.stringify({ status, code, detail: message, ...(verifyUrl && { verifyUrl }) }, null, 2),
    });
  }
  if (error.action === "redirect" && verifyUrl !== undefined) return { kind: "redirect", code, verifyUrl };
  if (code === "conditions_not_satisfied") {
    return { kind: "refused", title: "The account does not meet the condition", text: message };
  }
  if (code === "USER_REJECTED") {
    return {
      kind: "refused",
      title: "The wallet refused",
      text: "Nothing was sent. Try again when you like.",
    };
  }
  if (revertData !== undefined) {
    const { text, meaning } = describeRevert(revertData);
    return { kind: "refused", title: `The contract refused: ${text}`, text: meaning ?? message };
  }
  return { kind: "refused", title: `Refused: ${code}`, text: message };
}
