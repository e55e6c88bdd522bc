import { relative, resolve, sep } from "node:path";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { findRepository } from "hardhat-identity/internal/init/packageManager";
import type { Consumer } from "hardhat-identity/internal/lint/project";
import { attackPage, lintingPage, type Place } from "hardhat-identity/internal/lint/rules";
import type { Attacked } from "./attack.ts";
import { sayClosed } from "./describe.ts";
import { findFunction } from "./ignored.ts";

/** The results of the attacks on a contract. */
export interface AttackedContract extends Attacked {
  readonly contract: string;
  /** Its source; absent for a contract of nobody's and for an address. */
  readonly consumer: Consumer | undefined;
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
  const project = relative(repository, hre.config.paths.root).split(sep).join("/");
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
  const all = results.flatMap(({ contract, consumer, rehearsals }) =>
    rehearsals.flatMap(({ findings }) => findings.map((finding) => ({ contract, consumer, ...finding }))),
  );
  const untried = results.flatMap(({ contract, consumer, untried }) =>
    untried.map((each) => ({
      level: "error",
      text: `${contract}: ${sayClosed(each)}`,
      place: consumer?.place ?? elsewhere,
    })),
  );
  const problems = [
    ...untried,
    ...(problem === undefined ? [] : [{ level: "error", text: problem, place: elsewhere }]),
  ];
  // A change that others are refused with, too, proves nothing.
  const open = results.flatMap(({ contract, consumer, rehearsals }) =>
    rehearsals.flatMap(({ entryPoint, tried }) =>
      tried
        .filter(({ result }) => result === "not tried")
        .map(({ attack, refusal }) => ({
          level: "note",
          text: `${contract}: not tried on ${entryPoint}: ${attack}, as others are refused, too: ${refusal}`,
          place: consumer === undefined ? elsewhere : findPlace(consumer, entryPoint),
        })),
    ),
  );
  const rules = [...new Set(all.map(({ attack }) => attack))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        // GitHub takes one report of a category in a job, and a repository may have several projects.
        ...(project !== "" && { automationDetails: { id: `identity-attack/${project}/` } }),
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
            toolExecutionNotifications: [...problems, ...open].map(({ level, text, place }) => ({
              level,
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
  const found = findFunction(consumer, entryPoint);
  return (found && consumer.build.locate(found)) ?? consumer.place;
}
