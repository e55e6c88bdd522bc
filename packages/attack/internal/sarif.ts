import { relative, resolve, sep } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { findRepository } from "hardhat-identity/internal/init/packageManager";
import type { Consumer } from "hardhat-identity/internal/lint/project";
import { attackPage, lintingPage, type Place } from "hardhat-identity/internal/lint/rules";
import { isNode, nodesOf, parametersOf } from "hardhat-identity/internal/lint/syntaxTree";
import type { Finding } from "hardhat-identity/internal/testing/attack";
import { everyAttack, type Untried } from "./attack.ts";
import { sayUntried } from "./describe.ts";

/** The results of the attacks on a contract. */
export interface AttackedContract {
  readonly contract: string;
  /** Its source; absent for a contract of nobody's and for an address. */
  readonly consumer: Consumer | undefined;
  readonly findings: readonly Finding[];
  readonly untried: readonly Untried[];
}

/**
 * Composes a report in SARIF 2.1.0, with the line of each function, so that GitHub shows it in a pull request. If a
 * contract could not be tried, the run was not successful: GitHub then closes no alert that is missing.
 *
 * @param problem The error that ended all attacks.
 */
export function composeSarif(
  hre: HardhatRuntimeEnvironment,
  results: readonly AttackedContract[],
  problem?: string,
): object {
  const repository = findRepository(hre.config.paths.root).root;
  /** Paths are URIs from the repository's root, whichever folder of it is the project's. */
  const locate = ({ file, line }: Place) => {
    const path = relative(repository, resolve(hre.config.paths.root, file));
    const uri = path.split(sep).map(encodeURIComponent).join("/");
    return {
      physicalLocation: {
        artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
        region: { startLine: line },
      },
    };
  };
  // GitHub refuses a whole report for one finding without a place, which a contract of nobody's has not.
  const elsewhere = { file: hre.config.paths.config ?? "", line: 1 };
  const all = results.flatMap(({ contract, consumer, findings }) =>
    findings.map((finding) => ({ contract, consumer, ...finding })),
  );
  const untried = results.flatMap(({ contract, consumer, untried }) =>
    untried
      .filter(({ attack }) => attack === everyAttack)
      .map((each) => ({ text: `${contract}: ${sayUntried(each)}`, place: consumer?.place ?? elsewhere })),
  );
  const problems = problem === undefined ? untried : [...untried, { text: problem, place: elsewhere }];
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
        invocations: [
          {
            executionSuccessful: problems.length === 0,
            toolExecutionNotifications: problems.map(({ text, place }) => ({
              level: "error",
              message: { text },
              locations: [locate(place)],
            })),
          },
        ],
        results: all.map(({ contract, consumer, attack, entryPoint, message }) => ({
          ruleId: attack,
          level: "error",
          message: { text: `${contract}: ${message}` },
          locations: [locate(consumer === undefined ? elsewhere : findPlace(consumer, entryPoint))],
        })),
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
