import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type {} from "@nomicfoundation/hardhat-verify";
import { getVerificationInformation } from "@nomicfoundation/ignition-core";
import { Interface } from "ethers";
import type { BuildInfo } from "hardhat/types/artifacts";
import type { HardhatConfig } from "hardhat/types/config";
import type { NetworkConnection } from "hardhat/types/network";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { journalFolder, requireMatch } from "./journal.ts";
import { type Submission, verifyAtSourcify } from "./sourcify.ts";

/** A contract of `@hardhat-identity/contracts`, as it was compiled for the package. */
interface PackedContract {
  readonly name: string;
  readonly abi: Interface;
  readonly buildInfo: BuildInfo;
}

/**
 * Verifies the contracts of `@hardhat-identity/contracts` that a deployment has: at Sourcify, which needs no key, and at
 * Etherscan if its API key is configured. They were deployed from the package's artifacts, so the explorer gets the
 * sources and settings of the package. The project need not compile them.
 *
 * @param deploymentId Defaults to Ignition's own for the chain.
 * @param show Called with a line about each contract and explorer.
 * @throws InvalidInputError if there is no such deployment, it is another node's, or it has no contract of the package.
 */
export async function verifyDeployment(
  { provider: node, verification }: NetworkConnection<string>,
  config: HardhatConfig,
  deploymentId: string | undefined,
  show: (line: string) => void,
) {
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const id = deploymentId ?? `chain-${chainId}`;
  const folder = join(config.paths.ignition, "deployments", id);
  const shown = journalFolder(config.paths.ignition, id);
  if (!existsSync(folder))
    throw new InvalidInputError(`There is no deployment ${shown}; name it with --deployment-id.`);
  await requireMatch(node, id, config.paths.ignition);
  const packed = readPackedContracts();
  const verified = [];
  for await (const found of getVerificationInformation(folder)) {
    const contract = typeof found === "string" ? undefined : packed.get(found.contract);
    if (typeof found === "string" || contract === undefined) continue;
    const { abi, buildInfo } = contract;
    const [source = ""] = Object.values(buildInfo.userSourceNameMap);
    const submission: Submission = {
      contractAddress: found.address,
      compilerInput: buildInfo.input,
      contractName: `${source}:${contract.name}`,
      compilerVersion: buildInfo.solcLongVersion,
      constructorArguments: abi.encodeDeploy(found.constructorArgs).slice(2),
      creationTxHash: found.creationTxHash,
    };
    const tell = async (name: string, answer: Promise<string>) => {
      const outcome = await answer.then(
        (detail) => ({ name, verified: true, detail }),
        (error: Error) => ({ name, verified: false, detail: error.message }),
      );
      show(`${contract.name} at ${found.address}, ${name}: ${outcome.detail}`);
      return outcome;
    };
    const { sourcify, etherscan } = config.verify;
    const explorers = [];
    if (sourcify.enabled) {
      explorers.push(await tell("Sourcify", verifyAtSourcify(submission, chainId, sourcify.apiUrl)));
    }
    if (etherscan.enabled && (await hasKey(config))) {
      explorers.push(await tell("Etherscan", verifyAtEtherscan(submission, verification.etherscan)));
    }
    verified.push({ contract: contract.name, address: found.address, explorers });
  }
  if (verified.length === 0) {
    throw new InvalidInputError(
      `${shown} has no contract of @hardhat-identity/contracts. Verify your own contracts with "hardhat ignition verify ${id}".`,
    );
  }
  return verified;
}

type Etherscan = NetworkConnection["verification"]["etherscan"];

async function verifyAtEtherscan(submission: Submission, etherscan: Etherscan): Promise<string> {
  const { contractAddress, contractName, compilerVersion } = submission;
  const url = await etherscan.getContractUrl(contractAddress);
  const already = `already verified, ${url}`;
  if (await etherscan.isVerified(contractAddress)) return already;
  try {
    const guid = await etherscan.verify({ ...submission, compilerVersion: `v${compilerVersion}` });
    const { success, message } = await etherscan.pollVerificationStatus(guid, contractAddress, contractName);
    if (!success) throw new Error(message);
  } catch (error) {
    // Meanwhile somebody else may have verified it, or Etherscan itself, by a contract of the same code.
    if (await etherscan.isVerified(contractAddress)) return already;
    throw error;
  }
  return `verified, ${url}`;
}

async function hasKey({ verify }: HardhatConfig): Promise<boolean> {
  return verify.etherscan.apiKey.get().then(
    (key) => key !== "",
    () => false,
  );
}

/** Reads the packed contracts, by fully qualified name. In this repository there are none: it compiles them itself. */
function readPackedContracts(): ReadonlyMap<string, PackedContract> {
  const folder = fileURLToPath(new URL(".", import.meta.resolve("#build-info/SignerRegistry.json")));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(
    files.map((file): [string, PackedContract] => {
      const name = basename(file, ".json");
      const { abi, ...buildInfo } = JSON.parse(readFileSync(join(folder, file), "utf8"));
      const [sourceName = ""] = Object.keys(buildInfo.userSourceNameMap);
      return [`${sourceName}:${name}`, { name, abi: new Interface(abi), buildInfo }];
    }),
  );
}
