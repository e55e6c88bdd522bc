import { type OnchainPolicy, PolicyError, readPolicy } from "@hardhat-identity/protocol/chain/policy";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { policyHash } from "@hardhat-identity/protocol/protocolHashes";
import { type Runs, readRuns } from "./erc1967.ts";

/** A consumer's policy, its hash, and the reason if the service does not accept it. */
export interface InspectedPolicy extends OnchainPolicy {
  readonly policyHash: string;
  readonly problem: string | undefined;
  /** The contract that an ERC-1967 proxy runs. An upgrade can change the policy. */
  readonly runs: Runs | undefined;
}

/**
 * Reads a consumer's policy, including one that the service does not accept.
 *
 * @throws PolicyError if the contract has no policy that can be decoded.
 */
export async function inspectPolicy(node: Eip1193Connection, consumer: string): Promise<InspectedPolicy> {
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const { found, problem } = await readWithProblem(node, consumer);
  return {
    ...found,
    policyHash: policyHash({ chainId, consumer, encoded: found.encoded }),
    problem,
    runs: await readRuns(node, consumer),
  };
}

async function readWithProblem(node: Eip1193Connection, consumer: string) {
  try {
    return { found: await readPolicy(node, consumer), problem: undefined };
  } catch (error) {
    if (error instanceof PolicyError && error.found) return { found: error.found, problem: error.message };
    throw error;
  }
}
