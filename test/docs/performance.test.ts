import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { help, readCommand, scenarios } from "../../bench/scenarios.ts";
import { readSnippets } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const guides = ["docs/performance.md"] as const;
const names = Object.keys(scenarios);

describe("The guide to performance and trials", () => {
  it("shows a command for every scenario of the bench, and none that is not understood", () => {
    const snippets = guides.flatMap((guide) => readSnippets(guide).flatMap(({ text }) => text.split("\n")));
    const inline = guides.flatMap((guide) =>
      [...readFileSync(join(root, guide), "utf8").matchAll(/`(npm run bench[^`]*)`/g)].map(
        ([, line]) => line,
      ),
    );
    const shown = [...snippets, ...inline].flatMap((line = "") => {
      const [, args] = /^npm run bench(?: -- (.+))?$/.exec(line) ?? [undefined, null];
      return args === null ? [] : readCommand(args?.split(" ") ?? [], () => undefined).scenario;
    });
    expect(new Set(shown)).to.deep.equal(new Set(names));
  });

  it("lists every scenario of the bench with --help", () => {
    for (const name of names) expect(help).to.match(new RegExp(`^  ${name} `, "m"));
  });
});
