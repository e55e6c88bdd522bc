import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { didYouMean } from "../../console/closest.ts";
import { printError } from "../../console/print.ts";
import { showProgress } from "../../console/progress.ts";
import type { Report } from "../../console/report.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { parseObjectLosslessly } from "../../protocol/json.ts";
import { everyAttack } from "../internal/attack/attack.ts";
import { type Attacked, attackConsumer, type Rehearsal } from "../internal/attack/attackConsumer.ts";
import { attackContract } from "../internal/attack/attackContract.ts";
import type { Deployable } from "../internal/attack/deploy.ts";
import { describeRehearsal } from "../internal/attack/describe.ts";
import { composeSarif } from "../internal/attack/sarif.ts";
import type { Given } from "../internal/attack/scene.ts";
import { composeTest, writeTest } from "../internal/attack/writeTest.ts";
import { readJsonNumber } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import type { AbiParameter } from "../internal/consumer/compiledContract.ts";
import { readContracts, readKnownContracts } from "../internal/consumer/knownContracts.ts";
import { readCode } from "../internal/consumer/proxy.ts";
import { recognize } from "../internal/consumer/submit.ts";
import { findRepository } from "../internal/init/packageManager.ts";
import { findTestFolder, findToolbox } from "../internal/init/toolbox.ts";
import { contractFunctions, isIgnored } from "../internal/lint/functions.ts";
import { type Consumer, readConsumers } from "../internal/lint/project.ts";
import { attackPage } from "../internal/lint/rules.ts";
import { localNetwork } from "../internal/localNetwork.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import type { Arguments } from "../options.ts";

type Args = Arguments<"attack">;

/** What the attacks on a contract have shown. */
interface Result extends Rehearsal {
  readonly contract: string;
}

export default reporting<"attack">(async (args, hre): Promise<Report> => {
  try {
    if (args.write && args.consumer !== undefined) {
      throw new InvalidInputError("--write is for contracts that a test can deploy: leave --consumer out.");
    }
    const given = readGiven(args.args);
    const attack = args.consumer === undefined ? attackProject : attackDeployed;
    const results = await attack(args, given, hre);
    const written = args.write ? writeTests(results, given, hre) : [];
    if (args.sarif !== undefined) {
      writeFileSync(args.sarif, `${JSON.stringify(await composeSarif(hre, results), undefined, 2)}\n`);
    }
    return describe(results, written, args);
  } catch (error) {
    // What could not be tried is not sound.
    if (!(error instanceof InvalidInputError)) throw error;
    return { json: { error: { message: error.message } }, text: error.message, exitCode: 2 };
  }
});

/** Deploys contracts of the project to a chain of their own, and attacks them. */
async function attackProject(args: Args, given: Given, hre: HardhatRuntimeEnvironment): Promise<Result[]> {
  if (!args.json) printError("Building …");
  const consumers = await readConsumers(hre);
  const artifacts = await readArtifacts(args, hre, consumers);
  checkNames(given, artifacts);
  const all = await readContracts<Deployable>(hre.artifacts);
  const results: Result[] = [];
  for (const artifact of artifacts) {
    const { contractName: contract } = artifact;
    const network = hre.globalOptions.network ?? localNetwork;
    const { provider: node, close } = await hre.network.create({ network });
    try {
      const rehearsal = await attackContract(node, artifact, all, {
        args: given,
        onAttack: teller(args, contract),
      });
      const consumer = consumers.find(({ name }) => name === contract);
      results.push(leaveOutIgnored({ contract, ...rehearsal }, consumer));
    } catch (error) {
      // What one contract gets wrong must not hide what the others do.
      if (artifacts.length === 1 || !(error instanceof InvalidInputError)) throw error;
      const untried = [{ attack: everyAttack, entryPoint: "", revert: error.message }];
      results.push({ contract, findings: [], tried: [], total: 0, untried });
    } finally {
      await close();
    }
  }
  return results;
}

/** Leaves out what a comment of the contract says to be meant. */
function leaveOutIgnored(result: Result, consumer: Consumer | undefined): Result {
  if (consumer === undefined) return result;
  const comments = contractFunctions(consumer).commentsAt();
  const isMeant = (attack: string) => isIgnored(attack.replaceAll("'", "").replaceAll(" ", "-"), comments);
  return {
    ...result,
    findings: result.findings.filter(({ attack }) => !isMeant(attack)),
    tried: result.tried.filter(({ attack }) => !isMeant(attack)),
  };
}

async function readArtifacts(
  { contract }: Args,
  hre: HardhatRuntimeEnvironment,
  consumers: readonly Consumer[],
): Promise<readonly Deployable[]> {
  if (contract === undefined) {
    if (consumers.length > 0) return consumers.map(({ artifact }) => artifact);
    throw new InvalidInputError(
      "There is no consumer to attack: no contract of this project has provider() and conditions().",
    );
  }
  return [await readArtifact(contract, hre)];
}

async function readArtifact(contract: string, hre: HardhatRuntimeEnvironment): Promise<Deployable> {
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
  const address = findConsumer(hre, args);
  const { connection, stack } = await connectToChain(hre, args);
  const { provider: node } = connection;
  await requireCode(node, address);
  const own = stack?.own?.find((each) => each.address === address);
  const { name, abi } =
    readAbi(args.abi) ??
    (own === undefined ? await findContract(args, hre, node, address) : { name: own.name, abi: own.abi });
  checkNames(given, [{ abi }]);
  const contract = name ?? address;
  const options = { args: given, onAttack: teller(args, contract) };
  return [{ contract, ...(await attackConsumer(node, { name: contract, address, abi }, options)) }];
}

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
): Promise<Pick<Attacked, "name" | "abi">> {
  if (contract !== undefined) {
    const { contractName, abi } = await readArtifact(contract, hre);
    return { name: contractName, abi };
  }
  const found = await recognize(node, address, await readKnownContracts(hre));
  if (found !== undefined) return { name: found.contractName, abi: found.abi };
  throw new InvalidInputError(
    `The code of ${address} is none of this project's: name the contract that has its ABI, or give a file of JSON with --abi.`,
  );
}

function readAbi(file: string | undefined): { name: undefined; abi: Attacked["abi"] } | undefined {
  if (file === undefined) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InvalidInputError(`--abi must name a file of JSON, got ${file}: ${Object(error).message}`);
  }
  const abi = Array.isArray(content) ? content : Object(content).abi;
  if (Array.isArray(abi)) return { name: undefined, abi };
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
  return showProgress(
    (attack: string, number: number, total: number) =>
      `${contract}: attack ${number} of ${total} … ${attack}`,
  );
}

/** Writes a test for each contract with faults; answers the paths. */
function writeTests(results: readonly Result[], given: Given, hre: HardhatRuntimeEnvironment): string[] {
  const toolbox = findToolbox(hre);
  const folder = findTestFolder(hre, toolbox);
  const { execute } = findRepository(hre.config.paths.root).packageManager;
  return results.flatMap(({ contract, findings }) => {
    if (findings.length === 0) return [];
    const path = join(folder, `${contract}.attack.ts`);
    writeTest(path, composeTest(contract, findings, { toolbox, execute, args: given }));
    return [relative(hre.config.paths.root, path)];
  });
}

function describe(
  results: readonly Result[],
  written: readonly string[],
  { contract, consumer }: Args,
): Report {
  const shown = results.map(({ contract: name, findings, untried }) => ({
    contract: name,
    findings,
    untried,
  }));
  const [one = {}] = shown;
  const hasFindings = results.some(({ findings }) => findings.length > 0);
  const hasUntried = results.some(({ untried }) => untried.some(({ attack }) => attack === everyAttack));
  return {
    json: contract === undefined && consumer === undefined ? { contracts: shown } : one,
    text: [
      ...results.map((result) => describeRehearsal(result.contract, result)),
      ...written.map((path) => `Wrote ${path}, which fails until the faults are repaired.`),
      `All attacks: ${attackPage}`,
    ].join("\n\n"),
    exitCode: hasFindings ? 1 : hasUntried ? 2 : 0,
  };
}
