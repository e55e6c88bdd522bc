import { isAccessManager } from "@hardhat-identity/protocol/chain/accessManager";
import { boundedCalls, getterCall } from "@hardhat-identity/protocol/chain/boundedCalls";
import { decodeSigners, findRegistryProblem, signersCall } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { AbiCoder, ZeroAddress } from "ethers";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";

/** A registry's allowlist and its owner, at one block. */
export interface AllowlistState {
  readonly chainId: number;
  readonly registry: string;
  readonly signers: readonly string[];
  readonly owner: string;
  /** Whether the owner is a contract, such as a Safe, which cannot sign transactions. */
  readonly ownerIsContract: boolean;
  /** Whether that contract is OpenZeppelin's `AccessManager`, so that the registry is guarded. */
  readonly isGuarded: boolean;
  /** The new owner of a transfer of ownership that is not accepted yet. */
  readonly pendingOwner: string | undefined;
}

/** Reads a registry's allowlist and owner. */
export async function readAllowlist(node: Eip1193Connection, registry: string): Promise<AllowlistState> {
  const problem = await findRegistryProblem(node, registry);
  if (problem !== undefined) throw new InvalidInputError(`${problem} Name the registry with --registry.`);
  const [chainId, answers] = await Promise.all([
    node.request({ method: "eth_chainId" }),
    boundedCalls(node, [
      signersCall(registry),
      getterCall(registry, "owner()", 32),
      getterCall(registry, "pendingOwner()", 32),
    ]),
  ]);
  const [signers = "", ...owners] = answers.map(({ success, data }) => {
    if (!success)
      throw new InvalidInputError(`The registry ${registry} did not return its signers and owner.`);
    return data;
  });
  const [owner, pendingOwner] = owners.map((data) => AbiCoder.defaultAbiCoder().decode(["address"], data)[0]);
  const ownerIsContract = await isContract(node, owner);
  return {
    chainId: Number(chainId),
    registry,
    signers: decodeSigners(signers),
    owner,
    ownerIsContract,
    isGuarded: ownerIsContract && (await isAccessManager(node, owner)),
    pendingOwner: pendingOwner === ZeroAddress ? undefined : pendingOwner,
  };
}

/** Returns whether an address is a contract. An account with delegated code (EIP-7702) is not: it still has its key. */
export async function isContract(node: Eip1193Connection, address: string): Promise<boolean> {
  const code = await readCode(node, address);
  return code !== "0x" && !/^0xef0100.{40}$/.test(code);
}
