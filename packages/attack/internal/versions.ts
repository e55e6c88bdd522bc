import { checksumAddress } from "@hardhat-identity/protocol/address";
import { concat, FunctionFragment } from "ethers";
import type { Deployable } from "hardhat-identity/internal/testing/attack";
import { isReadable } from "./functions.ts";
import type { Scene } from "./play.ts";

/** A deployed implementation of a contract behind a proxy. */
export interface Version {
  readonly name: string;
  readonly implementation: string;
  /** Whether it is the one before; or else the same one again. */
  readonly isPrevious: boolean;
}

/** Blocks to search for the deployment of an implementation. */
const depth = 500;

/**
 * Deploys the implementation of a proxy again, and the project's earlier versions of it, with the arguments of its
 * constructor. None can be, if it was deployed long ago.
 *
 * @param running The compiled contract of the implementation, if the project has it.
 */
export async function findVersions(
  scene: Scene,
  implementation: string,
  running: Deployable | undefined,
): Promise<Version[]> {
  const creation = await findCreation(scene, implementation);
  if (creation === undefined) return [];
  const deploy = async (name: string, data: string, isPrevious: boolean): Promise<Version[]> => {
    const outcome = await scene.stage.send({ from: creation.from, data });
    if (!("done" in outcome)) return [];
    return [{ name, implementation: checksumAddress(outcome.done.created ?? ""), isPrevious }];
  };
  const versions = await deploy(running?.contractName ?? "it", creation.input, false);
  if (running === undefined) return versions;
  const args = `0x${creation.input.slice(running.bytecode.length)}`;
  for (const other of await scene.artifacts()) {
    const isSame = other.contractName === running.contractName && other.sourceName === running.sourceName;
    if (isSame || !precedes(other, running)) continue;
    versions.push(...(await deploy(other.contractName, concat([other.bytecode, args]), true)));
  }
  return versions;
}

/** Finds the transaction that has deployed a contract. */
async function findCreation({ stage: { node } }: Scene, address: string) {
  const head = Number(await node.request({ method: "eth_blockNumber" }));
  for (let number = head; number >= Math.max(0, head - depth); number--) {
    const params = [`0x${number.toString(16)}`, true];
    const { transactions = [] } = Object(await node.request({ method: "eth_getBlockByNumber", params }));
    for (const { hash, to, from, input } of transactions) {
      if (to !== null && to !== undefined) continue;
      const receipt = Object(await node.request({ method: "eth_getTransactionReceipt", params: [hash] }));
      if (receipt.contractAddress?.toLowerCase() === address.toLowerCase()) {
        return { from: String(from), input: String(input) };
      }
    }
  }
  return undefined;
}

/** Whether a contract looks like an earlier version of another: the other has all its functions, and more or its next name. */
function precedes(earlier: Deployable, later: Deployable): boolean {
  if (earlier.bytecode === "0x" || Object.keys(earlier.linkReferences ?? {}).length > 0) return false;
  const list = ({ abi }: Deployable) =>
    abi
      .filter((entry) => entry.type === "function" && isReadable(entry))
      .map((item) => FunctionFragment.from(item).format("sighash"));
  const [old, next] = [list(earlier), new Set(list(later))];
  const [one, two] = [nameOf(earlier), nameOf(later)];
  const isNamedNext = one.bare === two.bare && one.version < two.version;
  const isUpgradeable = old.includes("proxiableUUID()")
    ? isNamedNext || next.size > old.length
    : isNamedNext && old.some((each) => each.startsWith("initialize("));
  return isUpgradeable && old.every((each) => next.has(each));
}

/** A contract's name without its version, which is 1 unless the name ends with another, such as `PollV2`. */
function nameOf({ contractName }: Deployable): { bare: string; version: number } {
  const [, bare = contractName, version = 1] = /^(.*?)V?(\d+)$/.exec(contractName) ?? [];
  return { bare, version: Number(version) };
}
