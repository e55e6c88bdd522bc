import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ErrorFragment, Interface } from "ethers";
import { artifacts, network } from "hardhat";
import gas from "../vectors/gas.json" with { type: "json" };

const guide = "docs/contracts.md";
const text = readFileSync(new URL(`../../${guide}`, import.meta.url), "utf8");

/** The cells of the table rows whose first cell begins with code. */
const rowsOf = (markdown: string) =>
  [...markdown.matchAll(/^\| `([^`]+)`[^|]*\|(.*)\|$/gm)].map(
    ([, name = "", cells = ""]) => [name, cells.split("|").map((cell) => cell.trim())] as const,
  );
const rows = rowsOf(text);

/** What stands between a heading and the next. */
const section = (heading: string) =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";

/** Errors as the guide writes them, such as `NotSigner(signer)`. */
async function errorsOf(contract: string): Promise<string[]> {
  const { abi } = await artifacts.readArtifact(contract);
  return Interface.from(abi).fragments.flatMap((fragment) =>
    ErrorFragment.isFragment(fragment)
      ? [`${fragment.name}(${fragment.inputs.map(({ name }) => name).join(", ")})`]
      : [],
  );
}

describe("The guide to the contracts", () => {
  it("lists the registry's errors as they are", async () => {
    const listed = rowsOf(section("What the registry checks")).map(([name]) => name);
    expect(listed).to.have.members(await errorsOf("ISignerRegistry"));
  });

  it("lists the functions and the errors for tests as they are", async () => {
    const source = readFileSync(new URL("../../contracts/testing/TestIdentity.sol", import.meta.url), "utf8");
    const functions = new Set(
      [...source.matchAll(/function ([a-z]\w*)\([^{;]*\binternal\b/g)].map(([, name]) => name),
    );
    const table = /^\| function of `TestIdentity`[\s\S]*?\n\n/m.exec(section("Test it"))?.[0] ?? "";
    const named = new Set([...table.matchAll(/`(\w+)\(/g)].map(([, name = ""]) => name));
    const errors = rowsOf(section("Test it"))
      .map(([name]) => name)
      .filter((name) => /^[A-Z]/.test(name));
    expect([...named].filter((name) => /^[a-z]/.test(name))).to.have.members([...functions]);
    expect(errors).to.have.members(await errorsOf("TestIdentity"));
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
