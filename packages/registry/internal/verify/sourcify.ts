import { setTimeout as delay } from "node:timers/promises";
import { describeProxy } from "@hardhat-identity/protocol/chain/httpProxy";
import { membersOf } from "@hardhat-identity/protocol/json";
import type { BuildInfo } from "hardhat/types/artifacts";

/** A contract's submission to an explorer. */
export interface Submission {
  readonly contractAddress: string;
  readonly compilerInput: BuildInfo["input"];
  /** The contract's source in the input and its name, separated by a colon. */
  readonly contractName: string;
  readonly compilerVersion: string;
  readonly constructorArguments: string;
  readonly creationTxHash?: string | undefined;
}

/** Milliseconds from one question to the next. */
const askEveryMs = 2_000;

/** Milliseconds after which a verification that does not end counts as failed. */
const limitMs = 120_000;

/**
 * Verifies a contract at Sourcify, by its API version 2 (docs.sourcify.dev/docs/api).
 *
 * @returns A sentence with the contract's page.
 */
export async function verifyAtSourcify(
  submission: Submission,
  chainId: number,
  apiUrl = "https://sourcify.dev/server",
): Promise<string> {
  const { contractAddress, compilerInput, contractName, compilerVersion, creationTxHash } = submission;
  const page = `${apiUrl}/repo-ui/${chainId}/${contractAddress}`;
  const submitted = await askSourcify(`${apiUrl}/v2/verify/${chainId}/${contractAddress}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      stdJsonInput: compilerInput,
      compilerVersion,
      contractIdentifier: contractName,
      ...(creationTxHash && { creationTransactionHash: creationTxHash }),
    }),
  });
  if (submitted.customCode === "already_verified") return `already verified, ${page}`;
  if (!submitted.verificationId) throw new Error(explain(submitted));
  let failure = "";
  const endsAt = performance.now() + limitMs;
  for (; performance.now() < endsAt; await delay(askEveryMs)) {
    const job = await askSourcify(`${apiUrl}/v2/verify/${submitted.verificationId}`).catch(
      ({ message }: Error): Answer => ({ status: 503, message }),
    );
    // A gateway that fails says nothing about the verification.
    if (job.status >= 500 || job.status === 429) {
      failure = ` (${explain(job)})`;
      continue;
    }
    if (job.isJobCompleted && job.contract?.match) return `verified, ${page}`;
    if (membersOf(job.error).customCode === "already_verified") return `already verified, ${page}`;
    if (job.isJobCompleted || job.customCode) throw new Error(explain(job));
  }
  throw new Error(`not decided after ${limitMs / 1000} s${failure}; see ${page}`);
}

interface Answer {
  /** HTTP's. */
  readonly status: number;
  readonly verificationId?: string;
  readonly isJobCompleted?: boolean;
  readonly contract?: { readonly match: string | null };
  /** A text where something in front of Sourcify answers. */
  readonly error?: { readonly customCode: string; readonly message: string } | string;
  readonly customCode?: string;
  readonly message?: string;
}

async function askSourcify(url: string, options: RequestInit = {}): Promise<Answer> {
  const { status, text } = await fetch(url, { ...options, signal: AbortSignal.timeout(30_000) })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch((error) => {
      const reason = error.cause?.message || error.cause?.code || error.message;
      throw new Error(`${new URL(url).host} cannot be reached: ${reason}${describeProxy(url)}`);
    });
  try {
    return { ...JSON.parse(text), status };
  } catch {
    throw new Error(`${new URL(url).host} answers ${status}, not JSON`);
  }
}

const explain = ({ error, message }: Answer): string =>
  (typeof error === "string" ? error : error?.message) ?? message ?? "refused without a reason";
