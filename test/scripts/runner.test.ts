import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const reportOf = (outcomes: readonly object[]) =>
  `import { writeFileSync } from "node:fs";
writeFileSync(process.env.TEST_REPORT, ${JSON.stringify(JSON.stringify(outcomes))});\n`;

/** Files of each sample run besides the tests: programs that do nothing, in place of compilers and linters. */
const standIns: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }',
  "hardhat.config.ts": `export default { test: { mocha: { reporter: ${JSON.stringify(join(root, "scripts/test/reporter.ts"))} } } };\n`,
  "scripts/test/worker.ts": `import ${JSON.stringify(join(root, "scripts/test/worker.ts"))};\n`,
  "scripts/test/solidity.ts": reportOf([
    { file: "contracts/Sample.t.sol", title: "SampleTest test_counts", state: "passed" },
  ]),
  "scripts/pack.ts": "",
  "scripts/faults.ts": reportOf([{ file: "", title: "a fault", state: "passed" }]),
  "contracts/Sample.t.sol": "",
};
const programs = ["hardhat", "cspell", "prettier", "biome", "solhint", "depcruise", "tsc"];

describe("npm test", function () {
  this.timeout(60_000);

  /** A repository with these files, and a way to test it as `npm test -- <args>` does. */
  async function fixture(files: Readonly<Record<string, string>>) {
    const folder = await temporaryFolder();
    for (const [file, text] of Object.entries({ ...standIns, ...files })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const program of programs) writeFileSync(join(bin, program), "#!/bin/sh\n", { mode: 0o755 });

    async function run(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
      const TMPDIR = await temporaryFolder();
      const runner = startProcess(process.execPath, [join(root, "scripts/test.ts"), ...args], {
        cwd: folder,
        env: cleanEnvironment({ PATH: `${bin}:${process.env.PATH}`, TMPDIR, ...env }),
      });
      const code = await runner.ended;
      const lines = runner.output().trimEnd().split("\n");
      return { code, output: runner.output(), lines, last: lines.slice(-2), left: readdirSync(TMPDIR) };
    }
    return { run };
  }

  const passing = `it("passes", () => {});\n`;
  const skipping = (count: number, reason: string) =>
    `import { skip } from ${JSON.stringify(join(root, "test/fixtures/skip.ts"))};\n` +
    Array.from(
      { length: count },
      (_, i) => `it("needs it ${i}", function () { skip(this, "${reason}", "apt-get install it"); });\n`,
    ).join("");

  it("runs the checks and the quick tier, counts each test once, and says what it leaves to the other", async () => {
    const { run } = await fixture({
      "test/a.test.ts": passing.repeat(2),
      "test/room/b.test.mts": passing,
      "test/c.long.test.ts": passing,
      "test/fixtures/shared.ts": passing,
      "test/faults/room.ts": passing,
    });
    const { code, lines, last, left } = await run();
    expect(code).to.equal(0);
    // Of the contracts, six checks, Solidity's test and three of Mocha's.
    expect(last[1]).to.equal("11 passed, 0 failed, 0 skipped");
    expect(last[0]).to.match(
      /^The quick tier, in \d+\.\d s and \d+\.\d s of CPU\. It leaves 1 test files to the other: npm run test:all$/,
    );
    const named = lines.flatMap((line) => /^ {2}✔ (test\/\S+) \(/.exec(line)?.[1] ?? []);
    expect(named.sort()).to.deep.equal(["test/a.test.ts", "test/room/b.test.mts"]);
    expect(left).to.deep.equal([]);
  });

  it("runs the long tier with the packages, an npm registry and the faults, and those tests alone", async () => {
    const { run } = await fixture({
      "test/a.test.ts": passing,
      "test/c.long.test.ts": `
        it("has an npm registry in the long tier", async () => {
          const packages = await (await fetch(process.env.NPM_REGISTRY + "/mocha")).json();
          if (packages.name !== "mocha" || !process.env.PACKED_FOLDER || !process.env.NPM_CACHE) throw new Error("It has not.");
        });\n`,
    });
    const { output, last } = await run(["--long"]);
    // The contracts, the packages, a fault and a test.
    expect(last[1], output).to.equal("4 passed, 0 failed, 0 skipped");
    expect(last[0]).to.match(
      /^The long tier, in \d+\.\d s and \d+\.\d s of CPU\. It leaves 1 test files to the other: npm test$/,
    );
  });

  it("runs test files with a pattern in their path, of either tier, and fails where no path has it", async () => {
    const { run } = await fixture({
      "test/room/a.test.ts": passing,
      "test/room/b.long.test.ts": passing,
      "test/c.test.ts": passing,
    });
    const { output, last } = await run(["room/"]);
    expect(output).to.match(/^ {2}✔ passes$/m);
    expect(last[1], output).to.equal("2 passed, 0 failed, 0 skipped");
    expect(last[0]).to.match(/^Some test files, in \d+\.\d s and \d+\.\d s of CPU\.$/);

    // A shell may pass a comment behind the command as patterns, of which one is in some path.
    for (const patterns of [["nowhere"], ["room/", "nowhere"]]) {
      const none = await run(patterns);
      expect(none.code).to.equal(1);
      expect(none.output)
        .to.include("No test file has nowhere in its path.")
        .and.not.match(/✔ passes/);
      expect(none.last.at(-1)).to.equal("0 passed, 1 failed, 0 skipped");
    }
  });

  it("builds the contracts before named files that may read them, and not before others", async () => {
    const { run } = await fixture({
      "room/own.ts": `import type { Artifact } from "hardhat/types/artifacts";
export class Own extends Error {
  override readonly name = "Own";
  readonly artifact = {} as Artifact;
}
export const own = new Own("own");\n`,
      "test/alone.test.ts": `import { own } from "../room/own.ts";\nit("passes", () => void own);\n`,
      "room/started.ts": `import { spawn } from "node:child_process";\nexport { spawn };\n`,
      "test/hardhat.test.ts": `it("passes", () => void (() => import("hardhat")));\n`,
      "test/program.test.ts": `import { spawn } from "../room/started.ts";\nit("passes", () => void spawn);\n`,
      "test/read.test.ts": `const file = "artifacts/contracts/A.json";\nit("passes", () => void file);\n`,
    });
    const built = /Contracts compile/;
    for (const file of ["hardhat", "program", "read"]) {
      expect((await run([`test/${file}`])).output, file).to.match(built);
    }
    const { output, code } = await run(["test/alone"]);
    expect(code, output).to.equal(0);
    expect(output).not.to.match(built);
    // Solidity tests compile by themselves.
    expect((await run(["Sample.t.sol"])).output).not.to.match(built);
  });

  it("tells every failure in full at the end, those of one reason together, and goes on after a process that dies", async () => {
    const { run } = await fixture({
      "test/assertion.test.ts": `it("differs", () => { throw new Error("one\\ntwo"); });\n`,
      "test/dies.test.ts": `it("ends everything", () => process.exit(3));\n`,
      "test/empty.test.ts": "",
      "test/hook.test.ts": `describe("after a hook", () => {
        before(() => { throw new Error("broken"); });
        for (const name of ["first", "second"]) it(name, () => {});
      });\n`,
      "test/z.test.ts": passing,
    });
    const { code, output, last } = await run(["test/"]);
    expect(code).to.equal(1);
    expect(last[1], output).to.equal("1 passed, 6 failed, 0 skipped");
    const failures = output.slice(output.indexOf("\nFailed\n"));
    expect(failures).to.match(/\d\) differs\n\n {5}one\n {5}two\n/);
    expect(failures).to.match(/It did not end\n\n {5}The process ended with 3 while it ran:/);
    expect(failures).to.include("It has no test.");
    expect(failures).to.match(
      /\d\) after a hook first\n {2}\d\) after a hook second\n\n {5}It never ran, because a hook before it failed\.\n/,
    );
    expect(failures.match(/npm test -- test\/hook\.test\.ts$/gm)).to.have.length(1);
  });

  it("runs no tests where the packages or the contracts cannot be made, and says so once", async () => {
    const { run } = await fixture({
      "scripts/pack.ts": `console.error("no room left"); process.exit(1);\n`,
      "test/a.long.test.ts": passing,
      "test/b.long.test.ts": passing,
    });
    const { output, last } = await run(["--long"]);
    expect(output.match(/no room left/g)).to.have.length(1);
    expect(output.match(/It did not run, because/g)).to.have.length(1);
    // The contracts and the fault; the packages and both files.
    expect(last[1], output).to.equal("2 passed, 3 failed, 0 skipped");
  });

  it("prints a line for each program that tests miss, with how to get it, and fails in CI", async () => {
    const { run } = await fixture({
      "test/a.test.ts": skipping(2, "there is no clock here"),
      "test/b.test.ts": skipping(1, "there is no clock here"),
      "test/c.test.ts": skipping(1, "there is no lamp here"),
    });
    const { code, lines, last } = await run(["test/"]);
    expect(code).to.equal(0);
    expect(lines.slice(lines.indexOf("Skipped") + 2, -3)).to.have.members([
      "  3 tests: there is no clock here → apt-get install it",
      "  1 test: there is no lamp here → apt-get install it",
    ]);
    expect(last[1]).to.equal("0 passed, 0 failed, 4 skipped");

    const inCi = await run(["test/"], { CI: "true" });
    expect(inCi.code).to.equal(1);
    expect(inCi.last[1]).to.equal("0 passed, 4 failed, 0 skipped");
  });

  it("prints a test run in colours at a terminal, and in the same words elsewhere", async () => {
    const { run } = await fixture({ "test/a.test.ts": passing });
    const { last } = await run(["a.test"], { FORCE_COLOR: "1", NO_COLOR: undefined });
    expect(last[1]).not.to.equal("1 passed, 0 failed, 0 skipped");
    expect(stripVTControlCharacters(last[1] ?? "")).to.equal("1 passed, 0 failed, 0 skipped");
  });

  it("says how it is called, where an option is asked for that it does not have", async () => {
    const { run } = await fixture({});
    const unknown = await run(["--watch"]);
    expect(unknown.code).to.equal(2);
    expect(unknown.output).to.match(/^Unknown option '--watch'\n\n`npm test`[\s\S]+ npm test -- <pattern> /);
    expect(unknown.output).not.to.include(" at ");
    const help = await run(["--help"]);
    expect([help.code, help.output]).to.deep.equal([0, unknown.output.replace(/^.*\n\n/, "")]);
  });
});
