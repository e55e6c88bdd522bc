import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "hardhat/types/artifacts";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Place } from "./rules.ts";
import { isNode, nodesOf, type SyntaxNode } from "./syntaxTree.ts";

/** A contract of the project that admits verified identities. */
export interface Consumer {
  /** The contract's name, with its file if the project has several of the name, such as `contracts/a/Drop.sol:Drop`. */
  readonly name: string;
  /** File and line of the definition. */
  readonly place: Place;
  readonly artifact: Artifact;
  readonly definition: SyntaxNode;
  readonly build: Awaited<ReturnType<typeof readBuild>>;
}

/**
 * Reads the project's own consumers: deployable contracts with `provider()` and `conditions()`. Contracts of packages
 * and of test files do not count.
 */
export async function readConsumers(hre: HardhatRuntimeEnvironment): Promise<Consumer[]> {
  await buildProject(hre);
  return listConsumers(hre);
}

/** Where the sources of a project are, and what the compiler has made of them. */
export type Project = Pick<HardhatRuntimeEnvironment, "artifacts" | "config" | "solidity">;

/** {@link readConsumers}, of a project that has been built. */
export async function listConsumers(hre: Project): Promise<Consumer[]> {
  // An artifact may have outlived its source.
  const roots = new Set(await hre.solidity.getRootFilePaths({ scope: "contracts" }));
  const consumers: Consumer[] = [];
  const builds = new Map<string, Consumer["build"]>();
  const names = [...(await hre.artifacts.getAllFullyQualifiedNames())].sort();
  const isAmbiguous = (bare: string) => names.filter((name) => name.endsWith(`:${bare}`)).length > 1;
  for (const name of names) {
    const artifact: Artifact = await hre.artifacts.readArtifact(name);
    if (!isConsumer(artifact) || !artifact.inputSourceName?.startsWith("project/")) continue;
    const path = join(hre.config.paths.root, artifact.sourceName);
    if (!roots.has(path) || (await hre.solidity.getScope(path)) !== "contracts") continue;
    const { buildInfoId = "", inputSourceName, contractName } = artifact;
    const build = builds.get(buildInfoId) ?? (await readBuild(hre, buildInfoId));
    builds.set(buildInfoId, build);
    const definition = build.sources.get(inputSourceName)?.find((node) => node.name === contractName);
    const place = definition && build.locate(definition);
    if (definition === undefined || place === undefined) continue;
    consumers.push({
      name: isAmbiguous(contractName) ? name : contractName,
      place,
      artifact,
      definition,
      build,
    });
  }
  return consumers;
}

/** Builds the project. Hardhat's output goes to standard error, because standard output is for the report. */
async function buildProject(hre: HardhatRuntimeEnvironment): Promise<void> {
  const { log } = console;
  console.log = console.error;
  try {
    await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
  } finally {
    console.log = log;
  }
}

function isConsumer({ abi, bytecode }: Artifact): boolean {
  const answers = (name: string, type: string) =>
    abi.some(
      (item) =>
        item.type === "function" &&
        item.name === name &&
        item.inputs.length === 0 &&
        item.outputs.length === 1 &&
        item.outputs[0].type === type,
    );
  const hasConditions = answers("conditions", "tuple[]") || answers("conditions", "string[3][]");
  return bytecode !== "0x" && answers("provider", "string") && hasConditions;
}

/** Reads one run of the compiler. */
async function readBuild(hre: Project, id: string) {
  const [input, { output }] = await Promise.all([
    readJson(await hre.artifacts.getBuildInfoPath(id)),
    readJson(await hre.artifacts.getBuildInfoOutputPath(id)),
  ]);
  /** Contracts and their members by id. */
  const declarations = new Map<number, SyntaxNode>();
  const sources = new Map<string, SyntaxNode[]>();
  const texts = new Map<number, { file: string; text: Buffer }>();
  for (const [file, { ast, id }] of Object.entries<{ ast: unknown; id: number }>(output.sources)) {
    if (!isNode(ast)) throw new Error(`The build has no syntax tree of ${file}.`);
    sources.set(file, nodesOf(ast.nodes));
    texts.set(id, { file, text: Buffer.from(input.input.sources[file].content) });
    for (const node of nodesOf(ast.nodes)) {
      for (const declaration of [node, ...nodesOf(node.nodes)]) declarations.set(declaration.id, declaration);
    }
  }

  /** Returns a node's place; `undefined` if it is in a package instead of the project. */
  function locate({ src }: SyntaxNode): Place | undefined {
    const [start = 0, , source = -1] = src.split(":").map(Number);
    const { file, text } = texts.get(source) ?? {};
    if (!file?.startsWith("project/")) return undefined;
    const line = text?.subarray(0, start).toString().split("\n").length ?? 1;
    return { file: file.slice("project/".length), line };
  }

  function textOf({ src }: SyntaxNode): string {
    const [start = 0, length = 0, source = -1] = src.split(":").map(Number);
    return String(texts.get(source)?.text.subarray(start, start + length));
  }

  return { declarations, sources, locate, textOf };
}

async function readJson(path: string | undefined) {
  if (path === undefined) throw new Error("The build of an artifact is missing; build the project again.");
  return JSON.parse(await readFile(path, "utf8"));
}
