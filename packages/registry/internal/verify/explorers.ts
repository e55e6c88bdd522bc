import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type {} from "@nomicfoundation/hardhat-verify";
import type { HardhatConfig } from "hardhat/types/config";
import type { NetworkConnection } from "hardhat/types/network";
import { type Submission, verifyAtSourcify } from "./sourcify.ts";

/** An explorer that is configured. */
export interface Explorer {
  readonly name: string;
  /** Returns what it did, in words; rejects if the contract is not verified then. */
  readonly verify: (submission: Submission) => Promise<string>;
}

/** An explorer's answer about a contract. */
export interface Outcome {
  readonly name: string;
  readonly verified: boolean;
  readonly detail: string;
}

/**
 * Lists the explorers that the project is configured for.
 *
 * @throws InvalidInputError if there is none.
 */
export async function listExplorers(
  config: HardhatConfig,
  { etherscan }: NetworkConnection["verification"],
  chainId: number,
): Promise<Explorer[]> {
  const explorers: Explorer[] = [];
  const { sourcify } = config.verify;
  if (sourcify.enabled) {
    explorers.push({
      name: "Sourcify",
      verify: (submission) => verifyAtSourcify(submission, chainId, sourcify.apiUrl),
    });
  }
  if (config.verify.etherscan.enabled && (await hasKey(config))) {
    explorers.push({ name: "Etherscan", verify: (submission) => verifyAtEtherscan(submission, etherscan) });
  }
  if (explorers.length > 0) return explorers;
  throw new InvalidInputError(
    "No explorer is configured: enable Sourcify, or give Etherscan an API key (verify in the Hardhat configuration).",
  );
}

/** Verifies a contract at an explorer. A failure is an outcome, too. */
export async function verifyAt({ name, verify }: Explorer, submission: Submission): Promise<Outcome> {
  try {
    return { name, verified: true, detail: await verify(submission) };
  } catch (error) {
    return { name, verified: false, detail: (error as Error).message };
  }
}

type Etherscan = NetworkConnection["verification"]["etherscan"];

async function verifyAtEtherscan(submission: Submission, etherscan: Etherscan): Promise<string> {
  const { contractAddress, contractName, compilerVersion } = submission;
  const url = await etherscan.getContractUrl(contractAddress);
  const already = `already verified, ${url}`;
  if (await etherscan.isVerified(contractAddress)) return already;
  try {
    const guid = await etherscan.verify({ ...submission, compilerVersion: `v${compilerVersion}` });
    const { success, message } = await etherscan.pollVerificationStatus(guid, contractAddress, contractName);
    if (!success) throw new Error(message);
  } catch (error) {
    // Meanwhile somebody else may have verified it, or Etherscan itself, by a contract of the same code.
    if (await etherscan.isVerified(contractAddress)) return already;
    throw error;
  }
  return `verified, ${url}`;
}

async function hasKey({ verify }: HardhatConfig): Promise<boolean> {
  return verify.etherscan.apiKey.get().then(
    (key) => key !== "",
    () => false,
  );
}
