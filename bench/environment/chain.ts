import { ContractFactory, Interface, JsonRpcProvider, toBeHex } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { checksumAddress } from "../../packages/protocol/address.ts";

/** A chain with a registry and consumers that all have the same policy. */
export interface Chain {
  /** The node for the measured servers, which takes no development methods, as a public chain's. */
  readonly rpcUrl: string;
  /** The same node with its development methods. */
  readonly nodeUrl: string;
  readonly chainId: number;
  readonly registry: string;
  /** Checksummed. */
  readonly consumers: readonly [string, ...string[]];
}

/** The arguments of a wallet's claim at a contract. */
export interface Claim {
  readonly user: string;
  readonly identityHash: string;
  readonly expiration: number;
  readonly signature: string;
}

const chainId = 84532;

export async function withProvider<T>(
  rpcUrl: string,
  use: (provider: JsonRpcProvider) => Promise<T>,
): Promise<T> {
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  try {
    return await use(provider);
  } finally {
    provider.destroy();
  }
}

/** Sets the code at addresses. */
export async function setCode(provider: JsonRpcProvider, addresses: readonly string[], code: string) {
  for (let from = 0; from < addresses.length; from += 100) {
    const some = addresses.slice(from, from + 100);
    await Promise.all(some.map((address) => provider.send("hardhat_setCode", [address, code])));
  }
}

/**
 * Deploys a registry with the signer on its allowlist, and consumers: one is deployed, and its code set at further
 * addresses.
 */
export const prepareChain = (
  { nodeUrl, rpcUrl }: Pick<Chain, "nodeUrl" | "rpcUrl">,
  signer: string,
  consumerCount: number,
): Promise<Chain> =>
  withProvider(nodeUrl, async (provider) => {
    const deployer = await provider.getSigner(0);
    const deploy = async (name: string, ...args: unknown[]) => {
      const { abi, bytecode } = readArtifact(name);
      const contract = await new ContractFactory(abi, bytecode, deployer).deploy(...args);
      await contract.waitForDeployment();
      return await contract.getAddress();
    };
    const registry = await deploy("SignerRegistry", deployer.address, [signer]);
    const first = await deploy("examples/IncentiveProgram", registry);
    const others = Array.from({ length: consumerCount - 1 }, (_, i) =>
      checksumAddress(toBeHex(0x10_0000n * 2n ** 136n + BigInt(i), 20)),
    );
    await setCode(provider, others, await provider.getCode(first));
    return { rpcUrl, nodeUrl, chainId, registry, consumers: [first, ...others] };
  });

/** Mines a block a second: a public chain whose time stands still is refused. */
export function mineBlocks(nodeUrl: string): { stop(): void } {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] });
  const mine = () =>
    fetch(nodeUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
  // The services say what is wrong if the node is gone.
  const timer = setInterval(() => void mine().catch(() => undefined), 1_000);
  return { stop: () => clearInterval(timer) };
}

const consumer = new Interface(["function enroll(bytes32, uint40, bytes)"]);

/** Simulates a claim with a verification on the chain. @throws Error when the contract reverts. */
export const simulateClaim = ({ rpcUrl }: Chain, to: string, claim: Claim): Promise<unknown> =>
  withProvider(rpcUrl, (provider) => {
    const { user: from, identityHash, expiration, signature } = claim;
    const data = consumer.encodeFunctionData("enroll", [identityHash, expiration, signature]);
    return provider.send("eth_call", [{ from, to, data }, "latest"]);
  });
