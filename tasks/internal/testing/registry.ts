import { AbiCoder, concat } from "ethers";
import type { NetworkConnection } from "hardhat/types/network";
import type { PublicClient, WalletClient } from "viem";
import { waitForReceipt } from "../../../client/index.ts";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { development } from "../../../protocol/development.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { type AddressLike, checkMembers, readAddress, readOptionalAddress } from "./arguments.ts";
import { registryAbi } from "./registryAbi.ts";

interface ViemClients<PublicClient, WalletClient> {
  readonly public: PublicClient;
  readonly wallet: WalletClient;
}

// biome-ignore lint/suspicious/noTsIgnore: whether there is an error depends on the project.
/** @ts-ignore: viem is installed only if it is the project's toolbox. */
type ViemContract<P, W> = import("viem").GetContractReturnType<typeof registryAbi, ViemClients<P, W>, Hex>;

/** A contract object of the project's toolbox: of ethers if it has both. */
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
  /** The same address, under the name that ethers contracts use. */
  readonly target: Hex;
  readonly abi: typeof registryAbi;
  /**
   * The registry, called by the first account: an ethers `Contract`, or the result of viem's `getContract`. Throws
   * `InvalidInputError` in a project without a toolbox.
   */
  readonly contract: RegistryContract;
  /** Makes the registry an ethers `Addressable`, accepted wherever ethers takes an address. */
  getAddress(): Promise<Hex>;
}

/** The members that the toolboxes add to a connection, as far as they are used here. */
interface Toolboxes {
  readonly ethers?: { getContractAt(abi: unknown[], address: string): Promise<unknown> };
  readonly viem?: { getPublicClient(): Promise<PublicClient>; getWalletClients(): Promise<WalletClient[]> };
}

/** The owner and the signers of a new registry. */
export interface RegistryOptions {
  /** Defaults to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to the development signer alone. */
  readonly signers?: readonly AddressLike[] | undefined;
}

/**
 * Deploys a registry from the first account.
 *
 * @param connection Has `ethers` or `viem` if the project uses that toolbox.
 */
export async function deployRegistry(
  node: Eip1193Connection,
  connection: object,
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
  const { bytecode } = readArtifact("SignerRegistry");
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, signers]);
  const transaction = { from, data: concat([bytecode, args]) };
  const hash = await node.request({ method: "eth_sendTransaction", params: [transaction] });
  const receipt = await waitForReceipt(node, { hash: String(hash), interval: 50 });
  const address = readAddress("The new registry", Object(receipt).contractAddress);
  const contract = await openContract(connection, address);
  return {
    address,
    target: address,
    abi: registryAbi,
    get contract(): RegistryContract {
      if (contract === undefined) throw noToolbox();
      return Object(contract);
    },
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

function noToolbox(): InvalidInputError {
  return new InvalidInputError(
    "The registry's contract is an object of a toolbox, and hardhat.config.ts has none in `plugins`: add " +
      "@nomicfoundation/hardhat-toolbox-mocha-ethers or @nomicfoundation/hardhat-toolbox-viem.",
  );
}
