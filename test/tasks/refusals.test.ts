import { expect } from "chai";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";

describe("A task that is asked for something wrong", () => {
  for (const [words, said] of [
    ["dve", /^There is no task identity dve; identity has attack, .*\. Did you mean dev\?\n$/],
    ["credential lst", /^There is no task identity credential lst; .* Did you mean list\?\n$/],
    ["init --kind vot", /^--kind must be one of .*, got "vot"\. Did you mean vote\?\n$/],
    ["mint --consumer 0x12", /^--consumer must be an address \(.*\), got "0x12"\.\n$/],
    ["attack --contract-name x", /--contract-name/],
  ] as const) {
    it(`says so in one line, and exits with 1: identity ${words}`, async () => {
      const { code, stdout, stderr } = await runHardhat(["identity", ...words.split(" ")]);
      expect([code, stdout]).to.deep.equal([1, ""]);
      expect(stderr).to.match(said).and.not.include("community plugin");
    });
  }

  it("lists what there is where no task is named", async () => {
    const { code, stdout } = await runHardhat(["identity", "signers"]);
    expect(code).to.equal(0);
    expect(stdout).to.match(/^identity signers list {3,}List a registry's signers/m);
    expect(stdout).to.include("Add --help to a task for its options.");
  });
});
