import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { didYouMean } from "@hardhat-identity/console/closest";
import { printError, printPassing } from "@hardhat-identity/console/print";
import { showProgress } from "@hardhat-identity/console/progress";
import type { Report } from "@hardhat-identity/console/report";
import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { membersOf, parseObjectLosslessly } from "@hardhat-identity/protocol/json";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import type { Artifact } from "hardhat/types/artifacts";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readJsonNumber } from "hardhat-identity/internal/console/options";
import { reporting } from "hardhat-identity/internal/console/report";
import type { AbiParameter } from "hardhat-identity/internal/consumer/compiledContract";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { readKnownContracts } from "hardhat-identity/internal/consumer/knownContracts";
import { recognize } from "hardhat-identity/internal/consumer/submit";
import { findRepository } from "hardhat-identity/internal/init/packageManager";
import { findTestFolder, findToolbox } from "hardhat-identity/internal/init/toolbox";
import { type Consumer, readConsumers } from "hardhat-identity/internal/lint/project";
import { attackPage } from "hardhat-identity/internal/lint/rules";
import { localNetwork } from "hardhat-identity/internal/localNetwork";
import { connectToChain } from "hardhat-identity/internal/stack/connect";
import { findConsumer } from "hardhat-identity/internal/stack/findConsumer";
import type { AttackConnection, Deployable, Given } from "hardhat-identity/internal/testing/attack";
import type { Arguments } from "hardhat-identity/options";
import {
  type Attacked,
  attackDeployed as attackAt,
  attackCompiled,
  sayNoEntryPoint,
} from "../internal/attack.ts";
import { ConstructorError } from "../internal/deploy.ts";
import { describeAttacks } from "../internal/describe.ts";
import { findSources, leaveOutIgnored } from "../internal/ignored.ts";
import { type Subject, writeRecipe } from "../internal/recipe.ts";
import { composeSarif } from "../internal/sarif.ts";
import { composeTest, writeTest } from "../internal/writeTest.ts";

type Args = Arguments<"attack">;

/** The results of the attacks on a contract. */
interface Result extends Attacked {
  /** The contract's name, or its address. */
  readonly contract: string;
  readonly consumer: Consumer | undefined;
  /** A test to paste, if no claim was found. */
  readonly recipe: string | undefined;
}

// Exits with 1 for a fault alone, and with 2 for anything that could not be tried.
export default reporting<"attack">(async (args, hre): Promise<Report> => {
  // Standard output is for the report, but ethers prints unreadable parts of an ABI there.
  const { log } = console;
  console.log = console.error;
  try {
    if (args.write && args.consumer !== undefined) {
      throw new InvalidInputError("--write is for contracts that a test can deploy: leave --consumer out.");
    }
    const given = readGiven(args.args);
    // Check both options before the long work.
    if (args.write) findToolbox(hre);
    writeSarif(args, hre, [], "The attacks have not ended.");
    const results = await (args.consumer === undefined ? attackProject : attackDeployed)(args, given, hre);
    writeSarif(args, hre, results);
    // A single contract that is wrong altogether is an error of the command.
    const [{ rehearsals, untried } = none] = results;
    const isRefused = args.contract !== undefined && rehearsals.length === 0;
    const problem = isRefused ? untried.find(({ entryPoint }) => entryPoint === "") : undefined;
    if (problem !== undefined) return describeProblem(problem.refusal);
    const { written, problems } = args.write ? writeTests(results, given, hre) : none;
    return reportAttacks(results, [...written, ...problems], problems.length > 0, args);
  } catch (error) {
    const problem = sayProblem(error);
    // The file itself may be the problem.
    if (!(error instanceof SarifError)) writeSarif(args, hre, [], problem);
    return describeProblem(problem);
  } finally {
    console.log = log;
  }
});

const none = { rehearsals: [], untried: [], written: [], problems: [] };

const describeProblem = (message: string): Report => ({
  json: { error: { message } },
  text: message,
  exitCode: 2,
});

/** Describes an error. A bug in the attack itself is printed with its place, too. */
function sayProblem(error: unknown): string {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const isExpected = error instanceof InvalidInputError || error instanceof ChainUnavailableError;
  if (isExpected || name === "HardhatError") return message;
  if (readRpcError(error).code !== undefined) return `The node answered with an error: ${message}`;
  printError(String(stack));
  return `The attack itself failed: ${message}`;
}

class SarifError extends InvalidInputError {}

/** Writes the report, with its folder if that is missing. */
function writeSarif(
  { sarif }: Args,
  hre: HardhatRuntimeEnvironment,
  results: readonly Result[],
  problem?: string,
): void {
  if (sarif === undefined) return;
  try {
    mkdirSync(dirname(sarif), { recursive: true });
    writeFileSync(sarif, `${JSON.stringify(composeSarif(hre, results, problem), undefined, 2)}\n`);
  } catch (error) {
    throw new SarifError(
      `--sarif must name a file that can be written, got ${sarif}: ${membersOf(error).message}`,
    );
  }
}

/** Deploys contracts of the project to a chain of their own, and attacks them. */
async function attackProject(args: Args, given: Given, hre: HardhatRuntimeEnvironment): Promise<Result[]> {
  if (!args.json) printPassing("Building …");
  const consumers = await readConsumers(hre);
  const artifacts = await readArtifacts(args, hre, consumers);
  checkNames(given, artifacts);
  const results: Result[] = [];
  for (const artifact of artifacts) {
    const consumer = consumers.find((each) => isSame(each.artifact, artifact));
    const contract = consumer?.name ?? artifact.contractName;
    try {
      const attacked = await attackAlone(hre, artifact, { args: given, onAttack: teller(args, contract) });
      if (attacked.rehearsals.length + attacked.untried.length === 0) {
        throw new InvalidInputError(sayNoEntryPoint(contract));
      }
      const subject = { name: contract, abi: artifact.abi, network: localNetwork };
      const recipe = recipeFor(hre, subject, attacked);
      results.push(leaveOutIgnored({ contract, consumer, recipe, ...attacked }, consumer ? [consumer] : []));
    } catch (error) {
      // An error with one contract must not hide the results of the others.
      const entryPoint = error instanceof ConstructorError ? "constructor" : "";
      const failed = { rehearsals: [], untried: [{ entryPoint, refusal: sayProblem(error) }] };
      const subject = { name: contract, abi: artifact.abi, network: localNetwork };
      const recipe = entryPoint === "" ? undefined : recipeFor(hre, subject, failed);
      results.push({ contract, consumer, recipe, ...failed });
    }
  }
  return results;
}

/** Writes a test to paste for the project's toolbox, if a contract was not attacked. */
function recipeFor(
  hre: HardhatRuntimeEnvironment,
  subject: Subject,
  { rehearsals, untried }: Attacked,
): string | undefined {
  const isFound = rehearsals.some(({ findings }) => findings.length > 0);
  if (untried.length === 0 || isFound) return undefined;
  try {
    return writeRecipe(subject, findToolbox(hre));
  } catch (error) {
    // Without a toolbox, the project has no such tests.
    if (error instanceof InvalidInputError) return undefined;
    throw error;
  }
}

/** Attacks a contract on a chain of its own. */
async function attackAlone(
  hre: HardhatRuntimeEnvironment,
  artifact: Artifact,
  options: Parameters<typeof attackCompiled>[2],
): Promise<Attacked> {
  const network = hre.globalOptions.network ?? localNetwork;
  const { provider: node, close } = await hre.network.create({ network });
  try {
    return await attackCompiled(node, artifact, options, withoutToolbox(hre));
  } finally {
    await close();
  }
}

/** Invented claims send their transactions themselves. */
const withoutToolbox = ({ artifacts }: HardhatRuntimeEnvironment): AttackConnection => ({
  artifacts,
  openWallet: async (address) => ({ address }) as never,
});

async function readArtifacts(
  { contract }: Args,
  hre: HardhatRuntimeEnvironment,
  consumers: readonly Consumer[],
): Promise<readonly Artifact[]> {
  if (contract === undefined) {
    if (consumers.length > 0) return consumers.map(({ artifact }) => artifact);
    throw new InvalidInputError(
      "There is no consumer to attack: no contract of this project has provider() and conditions().",
    );
  }
  return [await readArtifact(contract, hre)];
}

async function readArtifact(contract: string, hre: HardhatRuntimeEnvironment): Promise<Artifact> {
  if (await hre.artifacts.artifactExists(contract)) return hre.artifacts.readArtifact(contract);
  const names = [...(await hre.artifacts.getAllFullyQualifiedNames())].map(
    (name) => name.split(":")[1] ?? "",
  );
  throw new InvalidInputError(
    `This project has no contract ${contract}.${didYouMean(contract, names)} For a deployed one, use --consumer.`,
  );
}

/** Checks that each argument given by name has a parameter, because a misspelt one would change nothing. */
function checkNames(given: Given, contracts: readonly Pick<Deployable, "abi">[]): void {
  if (Array.isArray(given)) return;
  const callable = contracts.flatMap(({ abi }) =>
    abi.filter(({ type }) => /^(function|constructor)$/.test(type)),
  );
  const names = new Set(callable.flatMap(({ inputs = [] }) => listNames(inputs)));
  const unknown = Object.keys(given).find((name) => !names.has(name));
  if (unknown === undefined) return;
  throw new InvalidInputError(
    `No function or constructor has the parameter ${JSON.stringify(unknown)} of --args. There are ${[...names].join(", ")}.`,
  );
}

/** Names of parameters, and of the members of their structs. */
const listNames = (inputs: readonly AbiParameter[]): string[] =>
  inputs.flatMap(({ name = "", components = [] }) => [
    ...(name === "" ? [] : [name]),
    ...listNames(components),
  ]);

/** Attacks a deployed contract, and leaves it as it was. */
async function attackDeployed(args: Args, given: Given, hre: HardhatRuntimeEnvironment): Promise<Result[]> {
  const address = await findConsumer(hre, args);
  const { connection, stack } = await connectToChain(hre, args);
  const { provider: node } = connection;
  await requireCode(node, address);
  const consumers = await readConsumers(hre);
  const own = stack?.own?.find((each) => each.address === address);
  const known =
    readAbi(args.abi) ??
    (own === undefined
      ? await findContract(args, hre, node, address)
      : { contractName: own.name, abi: own.abi });
  const { abi } = known;
  checkNames(given, [{ abi }]);
  // Only a contract of the project has comments and a place in a source. A stack names its contracts without their files.
  const sources =
    own === undefined || args.abi !== undefined
      ? consumers.filter(({ artifact }) => isSame(artifact, known))
      : await findSources(node, address, { ...withoutToolbox(hre), project: hre });
  const [consumer] = sources;
  const contract = known.contractName ?? address;
  const options = { args: given, onAttack: teller(args, contract) };
  const attacked = await attackAt(node, { name: contract, address, abi }, options, withoutToolbox(hre));
  if (attacked.rehearsals.length + attacked.untried.length === 0) {
    throw new InvalidInputError(sayNoEntryPoint(contract));
  }
  const network = hre.globalOptions.network ?? "localhost";
  const recipe = recipeFor(hre, { name: contract, abi, address, network }, attacked);
  return [leaveOutIgnored({ contract, consumer, recipe, ...attacked }, sources)];
}

/** The facts that are known about a deployed contract. */
interface Known {
  readonly abi: Deployable["abi"];
  readonly contractName?: string;
  readonly sourceName?: string;
}

/** A name alone is not enough: a project may have two contracts of one name. */
const isSame = (one: Omit<Known, "abi">, other: Omit<Known, "abi">) =>
  one.contractName === other.contractName && one.sourceName === other.sourceName;

async function requireCode(node: Parameters<typeof recognize>[0], address: string): Promise<void> {
  if ((await readCode(node, address)) !== "0x") return;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  throw new InvalidInputError(`No contract is deployed at ${address} on this chain, ${chainId}.`);
}

async function findContract(
  { contract }: Args,
  hre: HardhatRuntimeEnvironment,
  node: Parameters<typeof recognize>[0],
  address: string,
): Promise<Known> {
  if (contract !== undefined) return readArtifact(contract, hre);
  const found = await recognize(node, address, await readKnownContracts(hre));
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `No contract of this project has the code of ${address}: name the contract that has its ABI, or pass a JSON file as --abi.`,
  );
}

function readAbi(file: string | undefined): Known | undefined {
  if (file === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(decodeFile(readFileSync(file)));
  } catch (error) {
    throw new InvalidInputError(`--abi must name a JSON file, got ${file}: ${membersOf(error).message}`);
  }
  const abi = Array.isArray(content) ? content : membersOf(content).abi;
  if (Array.isArray(abi)) return { abi };
  throw new InvalidInputError(
    `--abi must name a file with an ABI or with a compiled contract, and ${file} has none.`,
  );
}

/** Reads `--args`: a list for a constructor, or an object by parameter name, also for functions. */
function readGiven(text: string | undefined): Given {
  if (text === undefined) return {};
  const parsed = parseObjectLosslessly(`{"given":${text}}`, readJsonNumber);
  const given = parsed?.given;
  if (typeof given === "object" && given !== null) return given as Given;
  throw new InvalidInputError(
    `--args must be JSON: a list of the constructor's arguments, or an object by parameter name, got ${text}.`,
  );
}

/** Shows people which attack is played. */
function teller({ json }: Args, contract: string): (attack: string, number: number, total: number) => void {
  if (json) return () => {};
  const began = performance.now();
  return showProgress(
    (attack: string, number: number, total: number) =>
      `${contract}: attack ${number} of ${total} … ${attack} (${Math.round((performance.now() - began) / 1_000)} s)`,
  );
}

/** Writes a test for each contract with faults. A file that stays is a problem, and hides no result. */
function writeTests(results: readonly Result[], given: Given, hre: HardhatRuntimeEnvironment) {
  const toolbox = findToolbox(hre);
  const folder = findTestFolder(hre, toolbox);
  const { execute } = findRepository(hre.config.paths.root).packageManager;
  const written: string[] = [];
  const problems: string[] = [];
  for (const { contract, rehearsals } of results) {
    const findings = rehearsals.flatMap((each) => each.findings);
    if (findings.length === 0) continue;
    // A name with its file has slashes and a colon.
    const path = join(folder, `${contract.replace(/\.sol:/, "/").replaceAll("/", "-")}.attack.ts`);
    try {
      writeTest(path, composeTest(contract, findings, { toolbox, execute, args: given }));
      const shown = relative(hre.config.paths.root, path);
      written.push(`Wrote ${shown}, which fails until the faults are repaired.`);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      problems.push(error.message);
    }
  }
  return { written, problems };
}

function reportAttacks(
  results: readonly Result[],
  lines: readonly string[],
  hasProblem: boolean,
  { contract, consumer }: Args,
): Report {
  const shown = results.map(({ contract: name, rehearsals, untried, recipe }) => ({
    contract: name,
    claims: rehearsals.map(({ says, tried }) => ({ claim: says, tried })),
    findings: rehearsals.flatMap(({ findings }) => findings),
    untried,
    recipe,
  }));
  const [one = {}] = shown;
  const hasFindings = shown.some(({ findings }) => findings.length > 0);
  const hasUntried = shown.some(({ untried }) => untried.length > 0);
  let exitCode = hasUntried ? 2 : 0;
  if (hasFindings) exitCode = 1;
  if (hasProblem) exitCode = 2;
  return {
    json: contract === undefined && consumer === undefined ? { contracts: shown } : one,
    text: [
      ...results.flatMap((result) => [
        describeAttacks(result.contract, result),
        ...(result.recipe === undefined || results.length > 1
          ? []
          : [`Show a claim in a test. This one runs as it is:\n\n${result.recipe.trimEnd()}`]),
      ]),
      ...lines,
      `All attacks: ${attackPage}`,
    ].join("\n\n"),
    exitCode,
  };
}
