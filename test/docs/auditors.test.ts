import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readRecords, readWritten, renderRecords, unexplained } from "../../scripts/faults/record.ts";
import { survivors } from "../faults/survivors.ts";
import { targets } from "../faults/targets.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import create2 from "../vectors/create2.json" with { type: "json" };

const read = (file: string) => readFileSync(join(root, file), "utf8");
const page = read("docs/auditors.md");
const section = (heading: string) => {
  const part = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? "";
  return part.replaceAll(/\s+(?!- )/g, " ");
};

describe("The page for auditors", () => {
  it("has what the tests noticed of faults and mutants, as it was recorded, with a reason for each survivor", async () => {
    const records = readRecords();
    expect(targets.map(({ file }) => file)).to.include.members(Object.keys(records));
    expect(readWritten(page))
      .to.equal(await renderRecords(records))
      .and.not.include(unexplained);
    const alive = Object.entries(records).flatMap(([file, record]) =>
      record.survivors.map(({ from, to }) => ({ file, from, to })),
    );
    // A reason for a mutant that is noticed is out of date.
    expect(survivors.map(({ file, from, to }) => ({ file, from, to }))).to.have.deep.members(alive);
  });

  it("lists every place of assembly", () => {
    const places = globSync("contracts/{*,interfaces/*}.sol", { cwd: root }).flatMap((file) => {
      const [, ...functions] = read(file).split(/^ {4}(?=function|constructor)/m);
      const contract = file.replace(/^.*\/|\.sol$/g, "");
      return functions
        .filter((text) => text.includes("assembly"))
        .map((text) => `${contract}.${/\w+(?=\()/.exec(text)}`);
    });
    const listed = [...section("Assembly").matchAll(/^- `([^`]+)`/gm)].map(([, place]) => place);
    expect(listed).to.have.members(places);
  });

  it("tells the recorded init code and address, and the compiler and library that give them", () => {
    const { parameters, initCodeHash, address } = create2;
    const { owner, signers } = parameters.SignerRegistry;
    for (const text of [initCodeHash, address, owner, ...signers]) {
      expect(section("Bytecode")).to.include(`\`${text}\``);
    }
    const { dependencies, devDependencies } = JSON.parse(read("package.json"));
    expect(section("Bytecode")).to.include(`solc ${devDependencies.solc} `);
    expect(section("Bytecode")).to.include(`OpenZeppelin ${dependencies["@openzeppelin/contracts"]} `);
  });
});
