import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { artifactsFolder, buildInfoFolder } from "@hardhat-identity/ignition/artifacts";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { getVerificationInformation, status, type VerifyInfo } from "@nomicfoundation/ignition-core";
import { Interface } from "ethers";
import type { Artifact, BuildInfo } from "hardhat/types/artifacts";
import type { HardhatConfig } from "hardhat/types/config";
import type { NetworkConnection } from "hardhat/types/network";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { journalFolder } from "hardhat-identity/internal/deployment/journal";
import { type Explorer, listExplorers, type Outcome, verifyAt } from "./verify/explorers.ts";
import type { Submission } from "./verify/sourcify.ts";

/** A contract that this package's modules deploy, as it was compiled. */
interface PackedContract {
  readonly name: string;
  readonly abi: Interface;
  readonly buildInfo: BuildInfo;
}

/** A contract, and what each explorer said about it. */
interface VerifiedContract {
  readonly contract: string;
  readonly address: string;
  readonly explorers: readonly Outcome[];
}

/**
 * Verifies the contracts of a deployment that this package's modules deploy: at Sourcify, which needs no key, and at
 * Etherscan if its API key is configured. They were deployed from compiled artifacts, so the explorer gets the sources and
 * settings of those. The project need not compile them.
 *
 * @param deploymentId Defaults to Ignition's own for the chain.
 * @param show Called with a line about each contract and explorer.
 * @returns The contracts, and a description of each contract that is not of the package and was left out.
 * @throws InvalidInputError if there is no such deployment, it is another chain's, it has no contract of the package, or no
 * explorer is configured.
 */
export async function verifyDeployment(
  { provider: node, verification }: NetworkConnection<string>,
  config: HardhatConfig,
  deploymentId: string | undefined,
  show: (line: string) => void,
): Promise<{ contracts: readonly VerifiedContract[]; others: readonly string[]; id: string }> {
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const id = deploymentId ?? `chain-${chainId}`;
  const folder = join(config.paths.ignition, "deployments", id);
  const shown = journalFolder(config.paths.ignition, id);
  await requireDeployment(folder, shown, chainId);
  const explorers = await listExplorers(config, verification, chainId);
  const packed = readPackedContracts();
  const [installed, deployed] = [listInstalled(), readDeployed(folder)];
  const contracts: VerifiedContract[] = [];
  const others: string[] = [];
  for await (const found of getVerificationInformation(folder)) {
    const contract = typeof found === "string" ? undefined : packed.get(found.contract);
    if (typeof found === "string" || (contract === undefined && !isMissing(found, installed))) {
      others.push(typeof found === "string" ? found : `${found.contract} at ${found.address}`);
      continue;
    }
    const { address } = found;
    const name = found.contract.split(":").at(-1) ?? "";
    if (!(await hasCode(node, address))) {
      throw new InvalidInputError(
        `${shown} is not this node's journal: it records ${name} at ${address}, where the node has no code. Name the right network with --network.`,
      );
    }
    const submission = contract && composeSubmission(contract, found);
    const [own, other] = [readBytecode(installed.get(name)), deployed.get(address)];
    // Whether it was deployed with another release, as far as that is known.
    const isOther = Boolean(own && other) && own !== other;
    const outcomes: Outcome[] = [];
    for (const explorer of explorers) {
      const outcome = await askExplorer(explorer, submission, isOther);
      show(`${name} at ${address}, ${outcome.name}: ${outcome.detail}`);
      outcomes.push(outcome);
    }
    contracts.push({ contract: name, address, explorers: outcomes });
  }
  if (contracts.length === 0) {
    throw new InvalidInputError(
      `${shown} has no contract of @hardhat-identity/contracts. Verify your own contracts with "hardhat ignition verify ${id}".`,
    );
  }
  return { contracts, others, id };
}

/** Requires that a deployment is there, and of this chain. */
async function requireDeployment(folder: string, shown: string, chainId: number): Promise<void> {
  if (!existsSync(folder))
    throw new InvalidInputError(`There is no deployment ${shown}; name it with --deployment-id.`);
  const { chainId: journalled } = await status(folder);
  if (journalled === chainId) return;
  throw new InvalidInputError(
    `${shown} is the journal of chain ${journalled}, and this node is on chain ${chainId}. Name the right network with --network.`,
  );
}

/** Returns `undefined` if the constructor took other arguments, as in another release. */
function composeSubmission(
  { name, abi, buildInfo }: PackedContract,
  { address, constructorArgs, creationTxHash }: VerifyInfo,
): Submission | undefined {
  const [source = ""] = Object.values(buildInfo.userSourceNameMap);
  const encoded = encodeArguments(abi, constructorArgs);
  if (encoded === undefined) return undefined;
  return {
    contractAddress: address,
    compilerInput: buildInfo.input,
    contractName: `${source}:${name}`,
    compilerVersion: buildInfo.solcLongVersion,
    constructorArguments: encoded,
    creationTxHash,
  };
}

function encodeArguments(abi: Interface, values: VerifyInfo["constructorArgs"]): string | undefined {
  try {
    return abi.encodeDeploy(values).slice(2);
  } catch {
    return undefined;
  }
}

const ofAnotherRelease =
  "deployed with another release of @hardhat-identity/contracts than the installed one: verify it with that release.";

/** Submits a contract to an explorer, unless only another release can. */
async function askExplorer(
  explorer: Explorer,
  submission: Submission | undefined,
  isOther: boolean,
): Promise<Outcome> {
  const { name } = explorer;
  if (submission === undefined) return { name, verified: false, detail: ofAnotherRelease };
  const outcome = await verifyAt(explorer, submission);
  if (outcome.verified || !isOther) return outcome;
  return { ...outcome, detail: `${ofAnotherRelease} ${name} says: ${outcome.detail}` };
}

/** Whether a contract is one of this package's that the installed release does not have. */
const isMissing = ({ contract }: VerifyInfo, installed: ReadonlyMap<string, string>): boolean =>
  contract.startsWith("@hardhat-identity/contracts/artifacts/") &&
  !installed.has(contract.split(":").at(-1) ?? "");

/** Lists the artifacts of the installed package, by the contract's name. */
const listInstalled = (): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/*.json", { cwd: artifactsFolder })
      .toReversed()
      .map((file) => [basename(file, ".json"), join(artifactsFolder, file)]),
  );

/** Reads the bytecode in an artifact; empty without one. */
const readBytecode = (file = ""): string => readJson<Artifact>(file)?.bytecode ?? "";

/** Reads the bytecode of each contract as it was deployed, by address: Ignition keeps it beside the journal. */
function readDeployed(folder: string): ReadonlyMap<string, string> {
  const addresses: Record<string, string> = readJson(join(folder, "deployed_addresses.json")) ?? {};
  return new Map(
    Object.entries(addresses).map(([future, address]) => [
      address,
      readBytecode(join(folder, "artifacts", `${future}.json`)),
    ]),
  );
}

const readJson = <T>(file: string): T | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;

/** Milliseconds from one question for a contract's code to the next. */
const askEveryMs = 1_000;

/** Milliseconds for which a node may lag behind a deployment. */
const maxLagMs = 10_000;

/** Whether a contract is there, also on a node that lags. */
async function hasCode(node: Eip1193Connection, address: string): Promise<boolean> {
  const endsAt = performance.now() + maxLagMs;
  while ((await readCode(node, address)) === "0x") {
    if (performance.now() >= endsAt) return false;
    await delay(askEveryMs);
  }
  return true;
}

/** Reads the packed contracts, by fully qualified name. In this repository there are none: it compiles them itself. */
function readPackedContracts(): ReadonlyMap<string, PackedContract> {
  const files = existsSync(buildInfoFolder) ? readdirSync(buildInfoFolder) : [];
  return new Map(
    files.map((file): [string, PackedContract] => {
      const name = basename(file, ".json");
      const { abi, ...buildInfo } = JSON.parse(readFileSync(join(buildInfoFolder, file), "utf8"));
      const [sourceName = ""] = Object.keys(buildInfo.userSourceNameMap);
      return [`${sourceName}:${name}`, { name, abi: new Interface(abi), buildInfo }];
    }),
  );
}
