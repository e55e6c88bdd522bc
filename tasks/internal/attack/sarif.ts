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
            rules: rules.map((id) => ({ id, helpUri: attackPage })),
          },
        },
        results: all.map(({ contract, attack, entryPoint, message }) => {
          const place = findPlace(
            consumers.find(({ name }) => name === contract),
            entryPoint,
          );
          return {
            ruleId: attack,
            level: "error",
            message: { text: `${contract}: ${message}` },
            locations: place === undefined ? [] : [locate(place)],
          };
        }),
      },
    ],
  };
}

const locate = ({ file, line }: Place) => ({
  physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } },
});

/** Finds the line of a function in the contract or its bases; that of the contract if it is in a package. */
function findPlace(consumer: Consumer | undefined, entryPoint: string): Place | undefined {
  if (consumer === undefined) return undefined;
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
