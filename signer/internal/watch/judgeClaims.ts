import { Interface, id } from "ethers";
import { type BoundedCall, boundedCalls } from "../../../chain/boundedCalls.ts";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import { judgeRegistry, registryCall } from "../../../chain/registry.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { verificationDomain } from "../../../protocol/verification.ts";
import type { Curve } from "../curve/curve.ts";
import { attribute } from "./attribute.ts";
import { type Claim, findWithoutEntry } from "./findEntries.ts";
import { type ForgedClaim, unattributed } from "./finding.ts";
import { readHeaders } from "./header.ts";
import type { Log } from "./readLogs.ts";

/** The topic of a consumer's event that it has used an identity. */
export const identityUsed = id("IdentityUsed(bytes32,bytes32)");

const registryAbi = new Interface(["function policyHash(address consumer)"]);

/**
 * Judges the events of ranges of blocks. A verdict is kept for as long as its event comes again.
 *
 * @param input.others The signers of other services, whose claims are left alone.
 */
export function claimJudge(input: {
  chain: Chain;
  chainId: number;
  registry: string;
  curve: Curve;
  others: ReadonlySet<string>;
  trail: Parameters<typeof findWithoutEntry>[1];
}) {
  const { chain, registry, curve, others, trail } = input;
  const domain = verificationDomain(input);
  let verdicts = new Map<string, ForgedClaim | "fine">();

  /** Whether a contract asks our registry, so that its events are claims. */
  async function asksUs(consumer: string): Promise<boolean> {
    const [answer] = await boundedCalls(chain.open(), [registryCall(consumer)]);
    try {
      return judgeRegistry(consumer, answer) === registry;
    } catch (error) {
      if (error instanceof InvalidInputError) return false;
      throw error;
    }
  }

  /** Reads the times of the events' blocks, by their hashes. */
  async function readTimes(logs: readonly Log[]): Promise<Map<string, number>> {
    const times = new Map<string, number>();
    for await (const { hash, timestamp } of readHeaders(chain, [
      ...new Set(logs.map(({ block }) => block)),
    ])) {
      times.set(hash, timestamp);
    }
    for (const { block, blockHash } of logs) {
      if (!times.has(blockHash))
        throw new ChainUnavailableError(`The node lacks the block ${block} of an event.`);
    }
    return times;
  }

  async function readPolicyHash(consumer: string): Promise<Hex | undefined> {
    const data = registryAbi.encodeFunctionData("policyHash", [consumer]);
    const call: BoundedCall = { target: registry, data, gasLimit: 3_000_000, sizeLimit: 32 };
    const [answer] = await boundedCalls(chain.open(), [call]);
    return answer?.success && answer.size === 32 ? (answer.data as Hex) : undefined;
  }

  async function findSigner(claim: Claim, signers: ReadonlySet<string>): Promise<string> {
    const policyHash = await readPolicyHash(claim.consumer);
    if (policyHash === undefined) return unattributed;
    return (await attribute(chain.open(), claim, { domain, policyHash, signers, curve })) ?? unattributed;
  }

  return {
    /** @param signers Those that were on the allowlist at the time. */
    async judge(logs: readonly Log[], signers: ReadonlySet<string>): Promise<ForgedClaim[]> {
      const claimed: Log[] = [];
      // Believed for this range alone: a consumer may be a proxy.
      const consumers = new Map<string, boolean>();
      for (const log of logs) {
        if (log.topics.length !== 3 || verdicts.has(nameOf(log))) continue;
        const isOurs = consumers.get(log.address) ?? (await asksUs(log.address));
        consumers.set(log.address, isOurs);
        if (isOurs) claimed.push(log);
        else verdicts.set(nameOf(log), "fine");
      }
      const times = await readTimes(claimed);
      const claims = new Map(claimed.map((log) => [toClaim(log, times), log] as const));
      const without = new Set(await findWithoutEntry([...claims.keys()], trail));
      for (const [claim, log] of claims) {
        const signer = without.has(claim) ? await findSigner(claim, signers) : undefined;
        const isForged = signer !== undefined && !others.has(signer);
        const { time: _time, ...rest } = claim;
        verdicts.set(nameOf(log), isForged ? { kind: "forged", ...rest, signer, isBraked: false } : "fine");
      }
      return logs.flatMap((log) => {
        const verdict = verdicts.get(nameOf(log)) ?? "fine";
        return verdict === "fine" ? [] : [verdict];
      });
    },
    /** Forgets all verdicts but those of these events. */
    keep(logs: readonly Log[]): void {
      verdicts = new Map(
        logs.flatMap((log) => {
          const verdict = verdicts.get(nameOf(log));
          return verdict === undefined ? [] : [[nameOf(log), verdict] as const];
        }),
      );
    },
  };
}

const nameOf = ({ blockHash, index }: Log) => `${blockHash} ${index}`;

function toClaim(
  { address: consumer, topics, transactionHash, block, blockHash }: Log,
  times: Map<string, number>,
): Claim {
  const [, round = "", identityHash = ""] = topics;
  return { consumer, round, identityHash, transactionHash, block, time: times.get(blockHash) ?? 0 };
}
