import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readReport, renderDocs } from "../../bench/report/writeDocs.ts";
import { help, readCommand, type ScenarioName, scenarios } from "../../bench/scenarios.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const scenarioNames = Object.keys(scenarios) as ScenarioName[];
/** Those that the page has a table of. */
const shownNames = scenarioNames.filter((name) => scenarios[name].document === "performance");
const guide = "docs/performance.md";
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("The page on performance", () => {
  it("has the tables, the picture and the README's line of the report that is committed", async () => {
    const rendered = await renderDocs();
    expect(Object.keys(rendered)).to.deep.equal([
      guide,
      "docs/failover.md",
      "docs/gas.md",
      "README.md",
      "docs/index.md",
      "docs/images/performance.svg",
    ]);
    for (const [file, text] of Object.entries(rendered)) {
      expect(read(file), `npm run bench -- none --write-docs writes ${file}`).to.equal(text);
    }
    expect(Object.keys(readReport("performance"))).to.include.members(shownNames);
  });

  it("shows commands that are understood, for every scenario", () => {
    const shown = readSnippets(guide)
      .flatMap(({ text }) => text.trim().split("\n"))
      .map((line) =>
        readCommand(
          line
            .replace(/^npm run bench(?: -- )?/, "")
            .split(" ")
            .filter(Boolean),
          () => {},
        ),
      );
    expect(new Set(shown.flatMap(({ scenarios }) => scenarios))).to.deep.equal(new Set(shownNames));
    const inline = [...read(guide).matchAll(/`npm run bench -- ([^`]+)`/g)].map(([, args = ""]) =>
      args.split(" "),
    );
    expect(inline).to.deep.include(["all", "--write-docs"]);
    for (const args of inline) readCommand(args, () => {});
  });

  it("is what --help says, too", () => {
    for (const name of scenarioNames) expect(help).to.match(new RegExp(`^  ${name} `, "m"));
  });
});
