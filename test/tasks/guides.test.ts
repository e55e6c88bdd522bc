import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import hre from "hardhat";
import { parse } from "yaml";
import { readSnippets } from "../fixtures/markdown.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** The commands in the guides: `npx hardhat identity …`, with lines that end in a backslash joined. */
const commands = ["README.md", ...globSync("docs/*.md")].flatMap((file) =>
  [
    ...readFileSync(file, "utf8")
      .replaceAll("\\\n", " ")
      .matchAll(/npx hardhat (identity[^\n`#]*)/g),
  ].map(([, command = ""]) => ({ file, command: command.trim() })),
);

const camelCase = (option: string) => option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

describe("The guides", () => {
  for (const { file, command } of commands) {
    it(`use existing tasks and options only: ${command.slice(0, 60)} (${file})`, () => {
      const words = command.match(/'[^']*'|\S+/g) ?? [];
      // Options and contracts' names after the task begin differently.
      const end = words.findIndex((word) => !/^[a-z]/.test(word));
      const task = hre.tasks.getTask(end === -1 ? words : words.slice(0, end));
      const globals = ["help", "network"];
      for (const word of words.filter((each) => each.startsWith("--"))) {
        expect([...task.options.keys(), ...globals]).to.include(camelCase(word.slice(2)));
      }
    });
  }

  it("show every task of the plugin", () => {
    const names = (task: ReturnType<typeof hre.tasks.getTask>): string[] => [
      ...(task.subtasks.size > 0 ? [] : [task.id.join(" ")]),
      ...[...task.subtasks.values()].flatMap(names),
    ];
    for (const name of names(hre.tasks.getTask("identity"))) {
      expect(
        commands.some(({ command }) => `${command} `.startsWith(`${name} `)),
        name,
      ).to.equal(true);
    }
  });

  it("have a recipe for CI that ends if the stack does not start, and is not misled by an old file", async () => {
    const [recipe = ""] = readSnippets("docs/ci.md").flatMap(({ language, text }) =>
      language === "yaml" && text.includes("--ready-file") ? text : [],
    );
    const [{ run }] = parse(recipe);
    const [started, ...others] = String(run).split("npx hardhat identity dev --ready-file stack.json");
    expect(others).to.have.length(1);
    const folder = await temporaryFolder();
    for (const [start, code] of [
      ["false", 1],
      ["sh -c 'echo {} > stack.json; exec sleep 30'", 0],
    ] as const) {
      writeFileSync(join(folder, "stack.json"), "old");
      const waiting = others[0]?.split("npm run")[0] ?? "";
      const script = `${started}${start}${waiting}kill $!`;
      const ended = spawnSync("bash", ["-e", "-c", script], { cwd: folder, encoding: "utf8" });
      expect(ended.status, ended.stderr).to.equal(code);
    }
  });
});
