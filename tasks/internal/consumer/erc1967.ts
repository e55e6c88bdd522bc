import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";

/** The contract that an ERC-1967 proxy runs. */
export type Runs = { readonly implementation: string } | { readonly beacon: string };

/** The storage slots of ERC-1967. */
export const slots = {
  implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
};

/** Reads from the slots of ERC-1967 what a contract runs; `undefined` if it is no such proxy. */
export async function readRuns(node: Eip1193Connection, address: string): Promise<Runs | undefined> {
  const read = async (position: string) =>
    readAddress(await node.request({ method: "eth_getStorageAt", params: [address, position, "latest"] }));
  const [implementation, beacon] = await Promise.all([read(slots.implementation), read(slots.beacon)]);
  if (implementation) return { implementation };
  return beacon ? { beacon } : undefined;
}

/**
 * The start of a minimal proxy's code, and the address that it runs. Before the address, such a proxy only copies the call's
 * data, and its own arguments where it has some (ERC-1167 and shorter forms, clones with immutable arguments, Vyper's).
 * Some first log what they are paid.
 */
const minimalProxy =
  /^0x(?:36602[cf]57343d527f[\da-f]{64}(?:593da1005b|60203da13d3df35b))?(?:3[679d]|5f|01|80|60..|61.{4})+73([\da-f]{40})5af4/i;

/** Finds the contract whose code a contract runs: that behind ERC-1967, beacon and minimal proxies, or itself. */
export async function findImplementation(node: Eip1193Connection, address: string): Promise<string> {
  const runs = await readRuns(node, address);
  const found = runs && ("beacon" in runs ? await askBeacon(node, runs.beacon) : runs.implementation);
  const target = found ?? address;
  const [, original] = minimalProxy.exec(await readCode(node, target)) ?? [];
  return original === undefined ? checksumAddress(target) : checksumAddress(`0x${original}`);
}

export async function readCode(node: Eip1193Connection, address: string): Promise<string> {
  return String(await node.request({ method: "eth_getCode", params: [address, "latest"] })).toLowerCase();
}

async function askBeacon(node: Eip1193Connection, beacon: string): Promise<string | undefined> {
  try {
    // implementation()
    const call = { to: beacon, data: "0x5c60da1b" };
    return readAddress(await node.request({ method: "eth_call", params: [call, "latest"] }));
  } catch (error) {
    // A beacon that reverts names nothing; a failure of the node is no answer.
    if (readRpcError(error).data === undefined) throw error;
    return undefined;
  }
}

/** Reads the address in a word. Some nodes shorten the word, down to 0x. */
function readAddress(word: unknown): string | undefined {
  const digits = String(word).slice(2).padStart(40, "0").slice(-40);
  return /^0+$/.test(digits) ? undefined : checksumAddress(`0x${digits}`);
}
