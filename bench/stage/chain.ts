import { ContractFactory, Interface, JsonRpcProvider, type JsonRpcSigner, toBeHex } from "ethers";
import { readArtifact } from "../../ignition/artifacts.ts";
import { checksumAddress } from "../../protocol/address.ts";

/** A chain with a registry and consumers that all demand the same. */
export interface Chain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly registry: string;
  /** Checksummed. */
  readonly consumers: readonly string[];
}

/**
 * Deploys a registry whose allowlist has the signer, and consumers: one is deployed, its code put at the other addresses.
 */
export async function prepareChain(rpcUrl: string, signer: string, consumerCount: number): Promise<Chain> {
  const chainId = 84532;
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const deployer = await provider.getSigner(0);
    const registry = await deploy(deployer, "SignerRegistry", [deployer.address, [signer]]);
    const first = await deploy(deployer, "examples/IncentiveProgram", [registry]);
    const code = await provider.getCode(first);
    const others = Array.from({ length: consumerCount - 1 }, (_, i) =>
      checksumAddress(toBeHex(0x10_0000n * 2n ** 136n + BigInt(i), 20)),
    );
    for (let from = 0; from < others.length; from += 100) {
      const some = others.slice(from, from + 100);
      await Promise.all(some.map((address) => provider.send("hardhat_setCode", [address, code])));
    }
    return { rpcUrl, chainId, registry, consumers: [first, ...others] };
  } finally {
    provider.destroy();
  }
}

async function deploy(from: JsonRpcSigner, name: string, args: readonly unknown[]): Promise<string> {
  const { abi, bytecode } = readArtifact(name);
  const contract = await new ContractFactory(abi, bytecode, from).deploy(...args);
  await contract.waitForDeployment();
  return await contract.getAddress();
}

const consumerInterface = new Interface(["function enroll(bytes32, uint40, bytes)"]);

/** What a wallet hands to a contract. */
export interface Claim {
  readonly user: string;
  readonly identityHash: string;
  readonly expiration: number;
  readonly signature: string;
}

/**
 * Has the chain itself say that a verification admits a wallet.
 *
 * @throws Error when the contract reverts.
 */
export async function simulateClaim({ rpcUrl, chainId }: Chain, to: string, claim: Claim): Promise<void> {
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true });
  try {
    const { user: from, identityHash, expiration, signature } = claim;
    const data = consumerInterface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
    await provider.send("eth_call", [{ from, to, data }, "latest"]);
  } finally {
    provider.destroy();
  }
}
