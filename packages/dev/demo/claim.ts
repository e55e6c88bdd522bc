import {
  buildSignInMessage,
  type Call,
  IdentityError,
  type Receipt,
  requestVerification,
  sendCall,
  sendCalls,
  signMessage,
  waitForCalls,
  waitForReceipt,
} from "@hardhat-identity/client";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import { networkOf, switchNetwork } from "@hardhat-identity/verify-page/shared/networks";
import { nameServiceTrouble, nameTrouble, type Trouble } from "@hardhat-identity/verify-page/shared/trouble";
import { Interface } from "ethers";
import { isSameChain, readToken } from "./chain.ts";
import type { DemoConfig } from "./config.ts";
import { type Consumer, encodePlanned, type PlannedCall } from "./consumers.ts";

export type StepKind =
  | ("message" | "signature" | "verification" | "refusal" | "call" | "transaction")
  | ("batch" | "receipt" | "revert");

type PieceKind =
  | ("message" | "signature" | "request" | "response" | "decoded" | "calldata")
  | ("hash" | "batchId" | "receipt" | "revertData");

/** One thing that happened, and what travelled. */
export interface Step {
  readonly kind: StepKind;
  readonly pieces: readonly Piece[];
  readonly status?: number | undefined;
  readonly calls?: number;
  readonly block?: number;
  readonly gasUsed?: number;
  /** Milliseconds that it took, the person included. */
  readonly ms?: number;
}

export type Piece = { readonly kind: PieceKind; readonly text: string };

/** The event that a claim waits for. */
export type Wait = "signature" | "service" | "transaction" | "block";

/** How a claim ended. */
export type Outcome =
  | { readonly kind: "admitted"; readonly identityHash: string }
  /** The person has to prove an account, there. */
  | { readonly kind: "redirect"; readonly code: string; readonly verifyUrl: string }
  /** The account is proven, and is not enough. */
  | { readonly kind: "unmet" }
  /** The wallet looks at another chain, and stays there. */
  | { readonly kind: "elsewhere"; readonly chainId: number; readonly rpcUrl: string }
  | {
      readonly kind: "reverted";
      readonly error: string;
      readonly meaning: string;
      /** The identity hash of the verification that was sent. */
      readonly identityHash: string;
    }
  /** The wallet, node or service failed. */
  | { readonly kind: "trouble"; readonly trouble: Trouble }
  /** Any other error, in its source's words. */
  | { readonly kind: "failed"; readonly code: string; readonly text: string };

/** An outcome in one word. */
export function nameOutcome(outcome: Outcome): string {
  if (outcome.kind === "redirect") return outcome.code;
  if (outcome.kind === "unmet") return "conditions_not_satisfied";
  return outcome.kind === "reverted" ? outcome.error.replace(/\(.*/, "") : outcome.kind;
}

export interface ClaimInput {
  readonly config: DemoConfig;
  readonly node: Eip1193Connection;
  readonly consumer: Consumer;
  readonly account: string;
  readonly wallet: Eip1193Connection;
  /** Told of every step when it has been taken. */
  onStep(step: Step): void;
  onWait(wait: Wait): void;
}

/** Goes through a claim as an app does: message, signature, verification, call, and a look at the chain. */
export async function claim(input: ClaimInput): Promise<Outcome> {
  const { config, node, consumer, account, wallet, onStep, onWait } = input;
  const { chainId, rpcUrl, signerUrl: baseUrl } = config;
  let request: Piece | undefined;
  let identityHash = "";
  try {
    const isHere = async () => wallet === node || (await isSameChain(wallet, node));
    if (!(await isHere())) {
      await switchNetwork(wallet, networkOf(chainId, rpcUrl));
      if (!(await isHere())) return { kind: "elsewhere", chainId, rpcUrl };
    }
    const message = buildSignInMessage({ address: account, consumer: consumer.address, chainId });
    onStep({ kind: "message", pieces: [{ kind: "message", text: message }] });

    onWait("signature");
    const signature = await signMessage(wallet, { address: account, message });
    onStep({ kind: "signature", pieces: [{ kind: "signature", text: signature }] });

    onWait("service");
    const body = write({ message, signature });
    request = { kind: "request", text: `POST ${baseUrl}/v1/onchain_verifications\n\n${body}` };
    const verification = await requestVerification({ baseUrl, message, signature });
    identityHash = verification.identityHash;
    const response = { kind: "response", text: write(verification) } as const;
    onStep({ kind: "verification", status: 200, pieces: [request, response] });

    const token = consumer.takesToken ? await readToken(node, consumer.address) : "";
    const planned = consumer.calls({ account, token });
    const calls = planned.map((call) => encodePlanned(call, verification));
    onStep({
      kind: "call",
      calls: calls.length,
      pieces: calls.flatMap((call, i): Piece[] => [
        { kind: "decoded", text: decode(call, planned[i]) },
        { kind: "calldata", text: call.data ?? "0x" },
      ]),
    });

    onWait("transaction");
    const receipt = await submit(input, calls);
    const [block, gasUsed] = [Number(receipt.blockNumber), Number(receipt.gasUsed)];
    onStep({ kind: "receipt", block, gasUsed, pieces: [{ kind: "receipt", text: writeReceipt(receipt) }] });
    return { kind: "admitted", identityHash };
  } catch (error) {
    return explain(error, input, { request, identityHash });
  }
}

const write = (value: unknown): string => JSON.stringify(value, null, 2);

/** Without a filter of 512 digits, and the fees of a rollup: here they say nothing. */
const writeReceipt = (receipt: Receipt): string =>
  write(
    Object.fromEntries(Object.entries(receipt).filter(([name]) => !/^(logsBloom|l1|operatorFee)/.test(name))),
  );

/** Call data as a person reads them: the function, and each argument by its name. */
function decode({ to, data }: Call, planned: PlannedCall | undefined): string {
  const parsed = new Interface([`function ${planned?.abi}`]).parseTransaction({ data: data ?? "0x" });
  if (parsed === null) return "";
  const args = parsed.fragment.inputs.map(({ name }, i) => `  ${name}: ${parsed.args[i]}`);
  return `${to}\n${parsed.name}(\n${args.join(",\n")}\n)`;
}

async function submit(
  { config, account, wallet, onStep, onWait }: ClaimInput,
  calls: readonly Call[],
): Promise<Receipt> {
  const { chainId } = config;
  const [call, another] = calls;
  if (call === undefined || another !== undefined) {
    const { batchId } = await sendCalls(wallet, { from: account, chainId, calls, atomicRequired: true });
    onStep({ kind: "batch", pieces: [{ kind: "batchId", text: batchId }] });
    onWait("block");
    const { receipts } = await waitForCalls(wallet, { batchId, interval: 200 });
    const [receipt] = receipts;
    if (receipt === undefined) throw new Error("The batch has no receipt.");
    return receipt;
  }
  const hash = await sendCall(wallet, { ...call, from: account, chainId });
  onStep({ kind: "transaction", pieces: [{ kind: "hash", text: hash }] });
  onWait("block");
  return waitForReceipt(wallet, { hash, interval: 200 });
}

function explain(
  error: unknown,
  { onStep }: ClaimInput,
  { request, identityHash }: { request: Piece | undefined; identityHash: string },
): Outcome {
  const trouble = nameTrouble(error);
  const isOurs = error instanceof IdentityError;
  if (!isOurs && trouble === "page") return { kind: "failed", code: "", text: String(error) };
  if (!isOurs || trouble === "node") return { kind: "trouble", trouble };
  const { code, message, status, verifyUrl, revertData } = error;
  if (status !== undefined && status !== 200 && request !== undefined) {
    const body = { status, code, detail: message, ...(verifyUrl && { verifyUrl }) };
    onStep({ kind: "refusal", status, pieces: [request, { kind: "response", text: write(body) }] });
  }
  if (error.action === "redirect" && verifyUrl !== undefined) return { kind: "redirect", code, verifyUrl };
  if (code === "conditions_not_satisfied") return { kind: "unmet" };
  if (code === "client_user_rejected") return { kind: "trouble", trouble: "refused" };
  const ofService = nameServiceTrouble(code === "client_network_error" ? "unreachable" : code);
  // For a developer's mistakes, the errors of service and client say more than our own text.
  if (ofService !== "mismatch") return { kind: "trouble", trouble: ofService };
  if (revertData !== undefined) {
    const { text, meaning } = describeRevert(revertData);
    onStep({ kind: "revert", pieces: [{ kind: "revertData", text: revertData }] });
    return { kind: "reverted", error: text, meaning: meaning ?? message, identityHash };
  }
  return { kind: "failed", code, text: message };
}
