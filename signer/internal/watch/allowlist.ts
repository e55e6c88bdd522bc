import { dataSlice, id } from "ethers";
import { boundedCalls } from "../../../chain/boundedCalls.ts";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import { decodeSigners, signersCall } from "../../../chain/registry.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Log, ReadLogs } from "./readLogs.ts";

/** Reads the signers on a registry's allowlist. */
export async function readSigners(node: Eip1193Connection, registry: string): Promise<string[]> {
  const [answer] = await boundedCalls(node, [signersCall(registry)]);
  if (!answer?.success)
    throw new ChainUnavailableError(`The registry ${registry} does not answer signers().`);
  return decodeSigners(answer.data);
}

/** A change of an allowlist. */
interface AllowlistChange {
  readonly signer: string;
  readonly isAdded: boolean;
  readonly transactionHash: string;
  readonly block: number;
}

const [added, removed] = [id("SignerAdded(address)"), id("SignerRemoved(address)")];

/** Reads the changes of a registry's allowlist in a range of blocks. */
export async function readChanges(
  readLogs: ReadLogs,
  registry: string,
  from: number,
  to: number,
): Promise<AllowlistChange[]> {
  const changes: AllowlistChange[] = [];
  for await (const { logs } of readLogs({ address: registry, topics: [added, removed] }, from, to)) {
    changes.push(...logs.map(toChange));
  }
  return changes;
}

function toChange({ topics: [topic, signer = ""], transactionHash, block }: Log): AllowlistChange {
  return { signer: checksumAddress(dataSlice(signer, 12)), isAdded: topic === added, transactionHash, block };
}
