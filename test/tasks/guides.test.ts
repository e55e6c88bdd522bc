import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import hre from "hardhat";

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
      // What follows, an option or the name of a contract, begins otherwise.
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
      ...(task.isEmpty ? [] : [task.id.join(" ")]),
      ...[...task.subtasks.values()].flatMap(names),
    ];
    for (const name of names(hre.tasks.getTask("identity"))) {
      expect(
        commands.some(({ command }) => `${command} `.startsWith(`${name} `)),
        name,
      ).to.equal(true);
    }
  });
});
