import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Toolbox } from "hardhat-identity/internal/init/templates";
import type { Finding, Given } from "hardhat-identity/internal/testing/attack";

/** The first words of a written test file, without the package manager's command. */
const mark = /^\/\/ Written by `[a-z]+ hardhat identity attack /;

interface Style {
  readonly imports: string;
  /** Stands before the calls of `describe` and `it`. */
  readonly call: string;
  expectNone(findings: string): string;
}

/** How each toolbox writes a test and an expectation. */
export const styles: Readonly<Record<Toolbox, Style>> = {
  ethers: {
    imports: 'import { expect } from "chai";\nimport { network } from "hardhat";',
    call: "",
    expectNone: (findings) => `expect(${findings}).to.deep.equal([]);`,
  },
  viem: {
    imports:
      'import assert from "node:assert/strict";\nimport { describe, it } from "node:test";\nimport { network } from "hardhat";',
    // Node's test functions return promises, which strict linters want awaited or marked with void.
    call: "void ",
    expectNone: (findings) => `assert.deepEqual(${findings}, []);`,
  },
};

/**
 * Composes a test file with a test for each attack that has shown a fault: it fails until the fault is repaired.
 *
 * @param options.execute The command that runs Hardhat, such as `npx`.
 */
export function composeTest(
  contract: string,
  findings: readonly Finding[],
  { toolbox, execute, args }: { toolbox: Toolbox; execute: string; args: Given },
): string {
  const { imports, call, expectNone } = styles[toolbox];
  const given = Object.keys(args).length > 0 ? `args: ${writeValue(args)}, ` : "";
  const tests = [...new Set(findings.map(({ attack }) => attack))].map((attack) => {
    const shown = findings.filter((each) => each.attack === attack);
    const comments = shown.flatMap(({ message, transactions }) => [
      message,
      ...transactions.map(({ what }, i) => `  ${i + 1}. ${what}`),
    ]);
    const options = `{ ${given}attacks: [${JSON.stringify(attack)}] }`;
    return `${comments.map((line) => `  // ${line}`).join("\n")}
  ${call}it(${JSON.stringify(`holds against "${attack}"`)}, async () => {
    const { identity } = await network.create("identityLocal");
    const findings = await identity.attack(${JSON.stringify(contract)}, ${options});
    ${expectNone("findings.map(({ message }) => message)")}
  });`;
  });
  return `// Written by \`${execute} hardhat identity attack ${contract} --write\`.
${imports}

${call}describe(${JSON.stringify(`${contract}, under attack`)}, () => {
${tests.join("\n\n")}
});
`;
}

/** Writes arguments as TypeScript. */
function writeValue(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(writeValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${writeValue(member)}`,
  );
  return `{ ${members.join(", ")} }`;
}

/**
 * Writes a test file.
 *
 * @throws InvalidInputError if there is a file that somebody else wrote.
 */
export function writeTest(path: string, text: string): void {
  if (existsSync(path) && !mark.test(readFileSync(path, "utf8"))) {
    throw new InvalidInputError(`${path} was not written by --write, so it stays; rename it, and try again.`);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
