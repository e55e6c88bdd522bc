import { readFileSync } from "node:fs";
import { expect } from "chai";
import { Interface } from "ethers";
import { artifacts, network } from "hardhat";
import { freshProject, solcPath } from "../fixtures/freshProject.ts";
import { readSnippetFile } from "../fixtures/markdown.ts";
import gas from "../vectors/gas.json" with { type: "json" };

const guide = "docs/contracts.md";
const text = readFileSync(new URL(`../../${guide}`, import.meta.url), "utf8");

/** The cells of the table rows whose first cell is code. */
const rows = [...text.matchAll(/^\| `([^`]+)`\s*\|(.*)\|$/gm)].map(
  ([, name = "", cells = ""]) => [name, cells.split("|").map((cell) => cell.trim())] as const,
);

describe("The guide to the contracts", () => {
  it("has consumers and a test that run in a project of somebody else's", async () => {
    const project = freshProject();
    project.write(
      "hardhat.config.ts",
      `export default { solidity: { version: "0.8.37", path: ${JSON.stringify(solcPath)} } };`,
    );
    for (const file of ["contracts/Workshop.sol", "contracts/Lounge.sol", "contracts/Workshop.t.sol"]) {
      project.write(file, readSnippetFile(guide, file));
    }
    const { code, stdout, stderr } = await project.hardhat(["test", "solidity"]);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/✔ test_register_GivesOnePersonOneSeat/);
  }).timeout(300_000);

  it("lists the registry's errors as they are", async () => {
    const { abi } = await artifacts.readArtifact("ISignerRegistry");
    const errors = Interface.from(abi).fragments.flatMap((fragment) =>
      fragment.type === "error" ? [fragment] : [],
    );
    const listed = rows.map(([name]) => name).filter((name) => name.includes("("));
    expect(listed).to.have.members(
      errors.map((e) => `${"name" in e ? e.name : ""}(${e.inputs.map((input) => input.name).join(", ")})`),
    );
  });

  it("tells the gas of the snapshot", () => {
    const told = rows
      .filter(([name]) => name in gas)
      .map(([name, cells]) => [name, Number(cells[1]?.replace(/\s/g, ""))]);
    expect(Object.fromEntries(told)).to.deep.equal(gas);
  });

  it("tells the policies of the examples", async () => {
    const { ethers, identity } = await network.create("identityLocal");
    const { target } = await identity.deployRegistry();
    const token = await ethers.deployContract("ExampleToken");
    for (const name of ["IncentiveProgram", "MembershipPass", "VerifiedVault", "Ballot"]) {
      const args = name === "VerifiedVault" ? [target, token.target] : [target];
      const consumer = await ethers.deployContract(name, args);
      const conditions: readonly (readonly string[])[] = await consumer
        .getFunction("conditions")
        .staticCall();
      const policy = conditions.map((condition) => `\`${condition.join(" ")}\``).join(", ");
      const [, cells] = rows.find(([row]) => row === name) ?? [];
      expect(cells?.[1]).to.equal(`${await consumer.getFunction("provider").staticCall()}: ${policy}`);
    }
  });
});
