import { AbiCoder, concat } from "ethers";
import type { NetworkConnection } from "hardhat/types/network";
import type {
  Account,
  Chain,
  GetContractReturnType,
  PublicClient,
  Transport,
  WalletClient,
  // biome-ignore lint/suspicious/noTsIgnore: whether there is an error depends on the project.
  /** @ts-ignore: there only where viem is the toolbox. */
} from "viem";
import { waitForReceipt } from "../../../client/index.ts";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { type AddressLike, checkMembers, readAddress, readOptionalAddress } from "./arguments.ts";
import { registryAbi } from "./registryAbi.ts";

type ViemClients = {
  public: PublicClient<Transport, Chain>;
  wallet: WalletClient<Transport, Chain, Account>;
};

/** A contract object of the toolbox in use: ethers' where both are. */
export type RegistryContract = NetworkConnection extends {
  ethers: { getContractAt: (...args: never) => Promise<infer EthersContract> };
}
  ? EthersContract
  : NetworkConnection extends { viem: unknown }
    ? GetContractReturnType<typeof registryAbi, ViemClients, Hex>
    : undefined;

/** A registry that was deployed for a test. */
export interface DeployedRegistry {
  readonly address: Hex;
  /** The same, as ethers' contracts call it. */
  readonly target: Hex;
  readonly abi: typeof registryAbi;
  /** The registry as the first account calls it: an ethers `Contract`, or what viem's `getContract` gives. */
  readonly contract: RegistryContract;
  /** Lets ethers take the registry wherever it takes an address. */
  getAddress(): Promise<Hex>;
}

/** What a toolbox adds to a connection, as far as it is needed here. */
export interface Toolboxes {
  readonly ethers?: { getContractAt(abi: unknown[], address: string): Promise<unknown> };
  readonly viem?: { getPublicClient(): Promise<unknown>; getWalletClients(): Promise<unknown[]> };
}

/** Who owns a new registry, and whose verifications it accepts. */
export interface RegistryOptions {
  /** Defaults to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to the development signer alone. */
  readonly signers?: readonly AddressLike[] | undefined;
}

/** Deploys a registry from the first account. */
export async function deployRegistry(
  node: Eip1193Connection,
  toolboxes: Toolboxes,
  options: RegistryOptions = {},
): Promise<DeployedRegistry> {
  checkMembers("identity.deployRegistry", options, ["owner", "signers"]);
  const [from] = (await node.request({ method: "eth_accounts" })) as string[];
  const owner = readOptionalAddress("owner", options.owner) ?? from;
  const signers = [...(options.signers ?? [development.signer])].map((signer, i) =>
    readAddress(`signers[${i}]`, signer),
  );
  const { bytecode } = readArtifact("SignerRegistry");
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, signers]);
  const transaction = { from, data: concat([bytecode, args]) };
  const hash = await node.request({ method: "eth_sendTransaction", params: [transaction] });
  const receipt = await waitForReceipt(node, { hash: String(hash), interval: 50 });
  const address = readAddress("The new registry", Object(receipt).contractAddress);
  return {
    address,
    target: address,
    abi: registryAbi,
    contract: (await openContract(toolboxes, address)) as RegistryContract,
    getAddress: async () => address,
  };
}

async function openContract({ ethers, viem }: Toolboxes, address: Hex): Promise<unknown> {
  if (ethers !== undefined) return ethers.getContractAt([...registryAbi], address);
  if (viem === undefined) return undefined;
  const { getContract } = await import("viem");
  const [wallet] = await viem.getWalletClients();
  const client = { public: await viem.getPublicClient(), ...(wallet === undefined ? {} : { wallet }) };
  return getContract({ abi: registryAbi, address, client: client as ViemClients });
}
