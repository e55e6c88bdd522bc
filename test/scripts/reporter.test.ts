import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { TestProcess } from "../../scripts/test/processes.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

/** Runs a test file of these lines as `npm test` does; answers what it printed and what became of each test. */
async function runFile(...lines: string[]) {
  mkdirSync(join(root, "cache"), { recursive: true });
  // Inside the repository, for the file imports fixtures.
  const folder = mkdtempSync(join(root, "cache/reporter-"));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "sample.test.ts");
  const imports = ["cleanup", "skip"].map(
    (name) => `import * as ${name} from "../../test/fixtures/${name}.ts";`,
  );
  writeFileSync(file, [...imports, ...lines].join("\n"));
  const tests = new TestProcess(cleanEnvironment());
  onCleanup(() => tests.stop());
  const { output, outcomes } = await tests.run(file);
  return { output, outcomes, states: Object.fromEntries(outcomes.map(({ title, state }) => [title, state])) };
}

describe("The report of a test run", () => {
  it("counts a skipped test as skipped if it says why, and as failed if not", async () => {
    const { outcomes, states } = await runFile(
      `it("passes", () => {});`,
      `it("says why", function () { skip.skip(this, "it is cold", "warmth"); });`,
      `it("says nothing", function () { this.skip(); });`,
      `it("is not written");`,
      `describe("as a whole", () => {`,
      `  before(function () { skip.skip(this, "it is dark", "light"); });`,
      `  it("is skipped", () => {});`,
      `});`,
    );
    expect(states).to.deep.equal({
      passes: "passed",
      "says why": "skipped",
      "says nothing": "failed",
      "is not written": "failed",
      "as a whole is skipped": "skipped",
    });
    const reasons = outcomes.flatMap(({ skipped }) => (skipped === undefined ? [] : [skipped]));
    expect(reasons).to.deep.equal([
      { reason: "it is cold", enabledBy: "warmth" },
      { reason: "it is dark", enabledBy: "light" },
    ]);
  });

  it("counts as failed the tests that a hook kept from running, and a hook that fails after them", async () => {
    const fail = `() => { throw new Error("broken"); }`;
    const { states } = await runFile(
      `describe("before", () => { before(${fail}); it("one", () => {}); it("two", () => {}); });`,
      `describe("after", () => { after(${fail}); it("one", () => {}); });`,
    );
    expect(states).to.deep.equal({
      "before one": "failed",
      "before two": "failed",
      'before "before all" hook for "one"': "failed",
      "after one": "passed",
      'after "after all" hook for "one"': "failed",
    });
  });

  it("reports after everything is closed: what a test opened at its end, what a suite did at the suite's", async () => {
    const open = (what: string) => `cleanup.onCleanup(() => console.log("closed", "${what}"));`;
    const { output } = await runFile(
      `describe("outer", () => {`,
      `  before(() => { ${open("outer, first")} ${open("outer, last")} });`,
      `  it("opens", () => { ${open("test")} });`,
      `  describe("inner", () => {`,
      `    before(() => { ${open("inner")} });`,
      `    it("runs", () => { console.log("closed", "nothing yet"); });`,
      `  });`,
      `});`,
    );
    expect([...output.matchAll(/^closed (.*)$/gm)].map(([, what]) => what)).to.deep.equal([
      "test",
      "nothing yet",
      "inner",
      "outer, last",
      "outer, first",
    ]);
  });

  it("counts a file as failed that does not load, or whose process ends, and runs the next one", async () => {
    const { outcomes } = await runFile(`throw new Error("half written");`);
    expect(outcomes).to.have.length(1);
    expect(outcomes[0]).to.include({ state: "failed" });
    expect(outcomes[0]?.problem).to.include("half written");

    const ended = await runFile(`it("ends everything", () => process.exit(3));`);
    expect(ended.outcomes).to.have.length(1);
    expect(ended.outcomes[0]).to.include({ state: "failed" });
    expect(ended.outcomes[0]?.problem).to.include("ended with 3");
  });

  it("counts as failed a test that leaves a rejection unhandled", async () => {
    const { states } = await runFile(
      `it("leaves one", async () => { Promise.reject(new Error("lost")); await new Promise(setImmediate); });`,
    );
    expect(states["leaves one"]).to.equal("failed");
  });
});
