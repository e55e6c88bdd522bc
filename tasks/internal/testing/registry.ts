import { waitForReceipt } from "@hardhat-identity/client";
import { readArtifact } from "@hardhat-identity/ignition/artifacts";
import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { AbiCoder, concat } from "ethers";
import { mineWaiting } from "../consumer/mineWaiting.ts";
import { registryAbi } from "../consumer/registryAbi.ts";
import { requireCancun } from "../requireCancun.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { type AddressLike, checkMembers, readAddress, readOptionalAddress } from "./arguments.ts";

/** A registry that was deployed for a test. */
export interface DeployedRegistry {
  readonly address: Hex;
  /** The same address, under the name that ethers contracts use. */
  readonly target: Hex;
  readonly abi: typeof registryAbi;
  /** Makes the registry an ethers `Addressable`, accepted wherever ethers takes an address. */
  getAddress(): Promise<Hex>;
}

/** The owner and the signers of a new registry. */
export interface RegistryOptions {
  /** Defaults to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to the development signer alone. */
  readonly signers?: readonly AddressLike[] | undefined;
}

/** Deploys a registry from the first account. */
export async function deployRegistry(
  node: Eip1193Connection,
  options: RegistryOptions = {},
): Promise<DeployedRegistry> {
  checkMembers("identity.deployRegistry", options, ["owner", "signers"]);
  const { accounts, unanswered } = await readAccounts(node);
  const [from] = accounts;
  if (from === undefined) {
    throw new InvalidInputError(
      `The registry is deployed by the node's first account, and it has none${unanswered}. Configure a key: accounts in the network's configuration.`,
    );
  }
  const owner = readOptionalAddress("owner", options.owner) ?? from;
  const signers = [...(options.signers ?? [development.signer])].map((signer, i) =>
    readAddress(`signers[${i}]`, signer),
  );
  await requireCancun(node);
  const { bytecode } = readArtifact("SignerRegistry");
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, signers]);
  const transaction = { from, data: concat([bytecode, args]) };
  const hash = await node.request({ method: "eth_sendTransaction", params: [transaction] });
  await mineWaiting(node, String(hash));
  const receipt = await waitForReceipt(node, { hash: String(hash), interval: 50 });
  const address = readAddress("The new registry", membersOf(receipt).contractAddress);
  return { address, target: address, abi: registryAbi, getAddress: async () => address };
}
