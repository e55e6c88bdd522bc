import { relative } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { type Consumer, readConsumers } from "../lint/project.ts";
import { attackPage, lintingPage, type Place } from "../lint/rules.ts";
import { isNode, nodesOf, parametersOf } from "../lint/syntaxTree.ts";
import type { Finding } from "./attackConsumer.ts";

/** What was found in a contract. */
interface FoundIn {
  readonly contract: string;
  readonly findings: readonly Finding[];
}

/** Composes a report in SARIF 2.1.0, with the line of each function, so that GitHub shows it in a pull request. */
export async function composeSarif(
  hre: HardhatRuntimeEnvironment,
  results: readonly FoundIn[],
): Promise<object> {
  const consumers = await readConsumers(hre);
  const all = results.flatMap(({ contract, findings }) =>
    findings.map((finding) => ({ contract, ...finding })),
  );
  // GitHub refuses a whole report for one finding without a place, which a contract of nobody's has not.
  const { config = "", root } = hre.config.paths;
  const elsewhere = { file: relative(root, config).replaceAll("\\", "/"), line: 1 };
  const rules = [...new Set(all.map(({ attack }) => attack))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "hardhat-identity attack",
            informationUri: lintingPage,
            rules: rules.map(describeRule),
          },
        },
        results: all.map(({ contract, attack, entryPoint, message }) => {
          const consumer = consumers.find(({ name }) => name === contract);
          const place = consumer === undefined ? elsewhere : findPlace(consumer, entryPoint);
          return {
            ruleId: attack,
            level: "error",
            message: { text: `${contract}: ${message}` },
            locations: [locate(place)],
          };
        }),
      },
    ],
  };
}

/** GitHub shows the descriptions above a finding, and the help below it. */
function describeRule(id: string): object {
  const shortDescription = { text: `Attack succeeds: ${id}` };
  const fullDescription = { text: `The consumer does not hold against the attack "${id}".` };
  return { id, shortDescription, fullDescription, help: { text: attackPage }, helpUri: attackPage };
}

const locate = ({ file, line }: Place) => ({
  physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } },
});

/** Finds the line of a function in the contract or its bases; that of the contract if it is in a package. */
function findPlace(consumer: Consumer, entryPoint: string): Place {
  const { definition, build, place } = consumer;
  const [, name = "", types = ""] = /^(\w+)\((.*)\)$/.exec(entryPoint) ?? [];
  const count = types === "" ? 0 : types.replaceAll(/\([^)]*\)/g, "tuple").split(",").length;
  const { linearizedBaseContracts: bases } = definition;
  const found = (Array.isArray(bases) ? bases : [])
    .map((id) => build.declarations.get(Number(id)))
    .filter(isNode)
    .flatMap((contract) => nodesOf(contract.nodes))
    .find((node) => {
      const isNamed = node.name === name || node.kind === name;
      return node.nodeType === "FunctionDefinition" && isNamed && parametersOf(node).length === count;
    });
  return (found && build.locate(found)) ?? place;
}
