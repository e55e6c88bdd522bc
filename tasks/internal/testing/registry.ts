import { AbiCoder, concat } from "ethers";
import type { NetworkConnection } from "hardhat/types/network";
import type { PublicClient, WalletClient } from "viem";
import { waitForReceipt } from "../../../client/index.ts";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { type AddressLike, checkMembers, readAddress, readOptionalAddress } from "./arguments.ts";
import { registryAbi } from "./registryAbi.ts";

interface ViemClients<PublicClient, WalletClient> {
  readonly public: PublicClient;
  readonly wallet: WalletClient;
}

// biome-ignore lint/suspicious/noTsIgnore: whether there is an error depends on the project.
/** @ts-ignore: there only where viem is the toolbox. */
type ViemContract<P, W> = import("viem").GetContractReturnType<typeof registryAbi, ViemClients<P, W>, Hex>;

/** A contract object of the toolbox in use: ethers' where both are. */
export type RegistryContract = NetworkConnection extends {
  ethers: { getContractAt: (...args: never) => Promise<infer EthersContract> };
}
  ? EthersContract
  : NetworkConnection extends {
        viem: {
          getPublicClient: (...args: never) => Promise<infer PublicClient>;
          getWalletClients: (...args: never) => Promise<(infer WalletClient)[]>;
        };
      }
    ? ViemContract<PublicClient, WalletClient>
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

/** What the toolboxes add to a connection, as far as it is needed here. */
interface Toolboxes {
  readonly ethers?: { getContractAt(abi: unknown[], address: string): Promise<unknown> };
  readonly viem?: { getPublicClient(): Promise<PublicClient>; getWalletClients(): Promise<WalletClient[]> };
}

/** Who owns a new registry, and whose verifications it accepts. */
export interface RegistryOptions {
  /** Defaults to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to the development signer alone. */
  readonly signers?: readonly AddressLike[] | undefined;
}

/**
 * Deploys a registry from the first account.
 *
 * @param connection Has `ethers` or `viem` where the project has the toolbox.
 */
export async function deployRegistry(
  node: Eip1193Connection,
  connection: object,
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
    contract: (await openContract(connection, address)) as RegistryContract,
    getAddress: async () => address,
  };
}

async function openContract({ ethers, viem }: Toolboxes, address: Hex): Promise<unknown> {
  if (ethers !== undefined) return ethers.getContractAt([...registryAbi], address);
  if (viem === undefined) return undefined;
  const { getContract } = await import("viem");
  const [wallet] = await viem.getWalletClients();
  return getContract({ abi: registryAbi, address, client: { public: await viem.getPublicClient(), wallet } });
}
