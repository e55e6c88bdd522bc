import { readFileSync } from "node:fs";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { showProgress } from "../../console/progress.ts";
import type { Report } from "../../console/report.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { parseObjectLosslessly } from "../../protocol/json.ts";
import { type Attacked, attackConsumer, type Rehearsal } from "../internal/attack/attackConsumer.ts";
import { type Deployable, deployForAttack, type Given } from "../internal/attack/deploy.ts";
import { describeRehearsal } from "../internal/attack/describe.ts";
import { openStage } from "../internal/attack/stage.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { readKnownContracts } from "../internal/consumer/knownContracts.ts";
import { recognize } from "../internal/consumer/submit.ts";
import { buildProject, readConsumers } from "../internal/lint/project.ts";
import { localNetwork } from "../internal/localNetwork.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";

type Arguments = Options<"contract" | "consumer" | "args" | "abi" | "port">;

/** What the attacks on a contract have shown. */
interface Result extends Rehearsal {
  readonly contract: string;
}

export default reporting(async (args: Arguments, hre): Promise<Report> => {
  try {
    const attack = args.consumer === undefined ? attackProject : attackDeployed;
    return describe(await attack(args, hre), args);
  } catch (error) {
    // What could not be tried is not sound.
    if (!(error instanceof InvalidInputError)) throw error;
    return { json: { error: { message: error.message } }, text: error.message, exitCode: 2 };
  }
});

/** Deploys contracts of the project to a chain of their own, and attacks them. */
async function attackProject(args: Arguments, hre: HardhatRuntimeEnvironment): Promise<Result[]> {
  const artifacts = await readArtifacts(args, hre);
  const all = await Promise.all(
    [...(await hre.artifacts.getAllFullyQualifiedNames())].map((name) => hre.artifacts.readArtifact(name)),
  );
  const results: Result[] = [];
  for (const artifact of artifacts) {
    const network = hre.globalOptions.network ?? localNetwork;
    const { provider: node, close } = await hre.network.create({ network });
    try {
      const stage = await openStage(node);
      const others = all.filter(({ contractName }) => contractName !== artifact.contractName);
      const result = await stage.undone(async () => {
        const attacked = await deployForAttack(stage, artifact, readGiven(args.args), others);
        return attack(args, node, attacked);
      });
      results.push(result);
    } finally {
      await close();
    }
  }
  return results;
}

async function readArtifacts(
  args: Arguments,
  hre: HardhatRuntimeEnvironment,
): Promise<readonly Deployable[]> {
  if (args.contract === undefined) {
    const consumers = await readConsumers(hre);
    if (consumers.length > 0) return consumers.map(({ artifact }) => artifact);
    throw new InvalidInputError(
      "There is no consumer to attack: no contract of this project has provider() and conditions().",
    );
  }
  await buildProject(hre);
  if (!(await hre.artifacts.artifactExists(args.contract))) {
    throw new InvalidInputError(
      `This project has no contract ${args.contract}; name one, or use --consumer.`,
    );
  }
  return [await hre.artifacts.readArtifact(args.contract)];
}

/** Attacks a deployed contract, and leaves it as it was. */
async function attackDeployed(args: Arguments, hre: HardhatRuntimeEnvironment): Promise<Result[]> {
  const port = optionalPort("--port", args.port);
  const address = findConsumer(hre, args.consumer, port);
  const { connection, stack } = await connectToChain(hre, port);
  const { provider: node } = connection;
  const own = stack?.own?.find((each) => each.address === address);
  const { name, abi } =
    readAbi(args.abi) ??
    (own === undefined ? await findContract(args, hre, node, address) : { name: own.name, abi: own.abi });
  return [await attack(args, node, { name: name ?? address, address, abi })];
}

async function findContract(
  { contract }: Arguments,
  hre: HardhatRuntimeEnvironment,
  node: Parameters<typeof recognize>[0],
  address: string,
): Promise<Pick<Attacked, "name" | "abi">> {
  if (contract !== undefined) {
    const { contractName, abi } = await hre.artifacts.readArtifact(contract);
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
  const parsed = parseObjectLosslessly(`{"given":${text}}`, (source) =>
    /^-?\d+$/.test(source) ? BigInt(source) : Number(source),
  );
  const given = parsed?.given;
  if (typeof given === "object" && given !== null) return given as Given;
  throw new InvalidInputError(
    `--args must be JSON: a list of the constructor's arguments, or an object by parameter name, got ${text}.`,
  );
}

async function attack(
  { args, json }: Arguments,
  node: Parameters<typeof attackConsumer>[0],
  attacked: Attacked,
): Promise<Result> {
  const tell = showProgress((attackName: string) => `${attacked.name}: ${attackName} …`);
  const given = readGiven(args);
  const options = {
    args: Array.isArray(given) ? {} : { ...given },
    onAttack: json ? () => {} : tell,
  };
  return { contract: attacked.name, ...(await attackConsumer(node, attacked, options)) };
}

function describe(results: readonly Result[], { contract, consumer }: Arguments): Report {
  const shown = results.map(({ contract: name, findings, untried }) => ({
    contract: name,
    findings,
    untried,
  }));
  const [one = {}] = shown;
  const hasFindings = results.some(({ findings }) => findings.length > 0);
  const hasUntried = results.some(({ untried }) => untried.length > 0);
  return {
    json: contract === undefined && consumer === undefined ? { contracts: shown } : one,
    text: results.map((result) => describeRehearsal(result.contract, result)).join("\n\n"),
    exitCode: hasFindings ? 1 : hasUntried ? 2 : 0,
  };
}
