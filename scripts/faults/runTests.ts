import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { splitTest, titlePattern } from "../../test/faults/fault.ts";
import { isLong, type Outcome, unended } from "../test/outcome.ts";
import { runCommand, TestProcess } from "../test/processes.ts";

/** Seconds after which a test file of the quick tier that does not end counts as failed. */
const patienceSeconds = 60;

/** The same for the long tier. */
const longPatienceSeconds = 300;

/** The contracts of a copy do not compile. */
export class CompileError extends Error {
  constructor() {
    super("The contracts do not compile.");
  }
}

/** Runs tests in a copy of the repository. */
export class TestsInCopy {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param temporary A folder for the tests' temporary files. */
  constructor(folder: string, temporary: string) {
    this.#folder = folder;
    this.#env = { ...process.env, TMPDIR: temporary, CI: "", NO_COLOR: "1" };
  }

  /** Runs a test file or one test of it, and returns its failure; `undefined` if it passes. */
  async findFailure(test: string): Promise<string | undefined> {
    const { file, title } = splitTest(test);
    // At the end of a full title; in Solidity, those end in `()`.
    const pattern = new RegExp(`${titlePattern(title)}(?:\\(.*\\))?$`);
    const env = { TEST_TITLE: pattern.source };
    const outcomes = file.endsWith(".sol")
      ? await this.runContracts([file], env)
      : await this.#runFile(file, env);
    const named = outcomes.filter(({ title }) => pattern.test(title) || title === unended);
    if (named.length === 0) throw new Error(`${test} does not load, or is not there.`);
    const failed = named.find(({ state }) => state === "failed");
    return failed && `${file}: ${failed.title}\n${failed.problem}`;
  }

  /**
   * Runs files of Solidity tests.
   *
   * @throws CompileError
   */
  async runContracts(files: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome[]> {
    const report = join(this.#folder, "cache/outcomes.json");
    rmSync(report, { force: true });
    const mostSeconds = patienceSeconds * files.length;
    const command = `cd ${this.#folder} && timeout -k 5 ${mostSeconds} node scripts/test/solidity.ts ${files.join(" ")}`;
    const { code } = await runCommand(command, { ...this.#env, ...env, TEST_REPORT: report });
    if (existsSync(report)) return JSON.parse(readFileSync(report, "utf8"));
    // The exit code of `timeout` is 124, or 137 if it had to kill the process.
    if (code !== 124 && code !== 137) throw new CompileError();
    return [{ file: files.join(), title: unended, state: "failed" }];
  }

  /** Builds the contracts for tests in TypeScript. */
  async build(): Promise<void> {
    const { code } = await runCommand(
      `cd ${this.#folder} && npx hardhat build --no-tests --quiet`,
      process.env,
    );
    if (code !== 0) throw new CompileError();
  }

  async #runFile(file: string, env: NodeJS.ProcessEnv): Promise<readonly Outcome[]> {
    const own = { ...this.#env, ...env, CONTRACTS_ARE_BUILT: "true", TEST_BAIL: "true" };
    const worker = new TestProcess(own, this.#folder);
    const timer = setTimeout(
      () => worker.kill(),
      (isLong(file) ? longPatienceSeconds : patienceSeconds) * 1000,
    );
    try {
      return (await worker.run(file)).outcomes;
    } finally {
      clearTimeout(timer);
      await worker.stop();
    }
  }
}
