import { expect } from "chai";
import hre from "hardhat";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

// cspell:ignore consumr netwrk

describe("A task that is asked for something wrong", () => {
  for (const [words, said] of [
    ["dve", /^There is no task identity dve\. Did you mean dev\?\nidentity has attack, (.|\n)*verify\.\n$/],
    [
      "credential lst",
      /^There is no task identity credential lst\. Did you mean list\?\nidentity credential has .*\.\n$/,
    ],
    ["init --kind vot", /^--kind must be one of .*, got "vot"\. Did you mean vote\?\n$/],
    ["mint --consumer 0x12", /^--consumer must be an address \(.*\), got "0x12"\.\n$/],
    ["attack --contract-name x", /--contract-name/],
    ["policy --consumr Airdrop", /^There is no --consumr\. Did you mean --consumer\?\n.*--consumr/],
    ["policy --netwrk=x", /^There is no --netwrk\. Did you mean --network\?\n.*--netwrk/],
  ] as const) {
    it(`says so, and exits with 1: identity ${words}`, async () => {
      const { code, stdout, stderr } = await runHardhat(["identity", ...words.split(" ")]);
      expect([code, stdout]).to.deep.equal([1, ""]);
      expect(stderr).to.match(said).and.not.include("community plugin");
    });
  }

  it("names the tasks that there are on lines that fit a terminal", async () => {
    for (const words of [["identity"], ["identity", "signers"], ["identity", "dve"]]) {
      const { stdout, stderr } = await runHardhat(words);
      const lines = `${stdout}${stderr}`.trim().split("\n");
      expect(lines).to.have.length.above(2);
      expect(lines.filter((line) => line.length > 80)).to.deep.equal([]);
    }
  });

  it("shows in its help that an option takes a value, and no type of Hardhat's", async () => {
    const { subtasks } = hre.tasks.getTask("identity");
    const leaves = [...subtasks.values()].flatMap((each) => [each, ...each.subtasks.values()]);
    for (const { id, options } of leaves) {
      const { stdout } = await runHardhat([...id, "--help"]);
      const shown = [...stdout.matchAll(/\[--[\w-]+ <(\w+)>\]/g)].map(([, type]) => type);
      const taking = [...options.values()].filter(({ type }) => type !== "FLAG");
      expect(shown, id.join(" ")).to.deep.equal(taking.map(() => "value"));
      expect(stdout).not.to.include("(default: )");
    }
  });

  it("lists what there is where no task is named", async () => {
    const { code, stdout } = await runHardhat(["identity", "signers"]);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^identity signers list {3,}List a registry's signers/m);
    expect(stdout).to.include("Add --help to a task for its options.");
  });
});
