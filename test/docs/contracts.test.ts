import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ErrorFragment, Interface } from "ethers";
import { artifacts, network } from "hardhat";
import gas from "../vectors/gas.json" with { type: "json" };

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
const text = read("contracts.md");

/** The cells of the table rows whose first cell begins with code. */
const rowsOf = (markdown: string) =>
  [...markdown.matchAll(/^\| `([^`]+)`[^|]*\|(.*)\|$/gm)].map(
    ([, name = "", cells = ""]) => [name, cells.split("|").map((cell) => cell.trim())] as const,
  );
const rows = rowsOf(text);

/** What stands between a heading and the next. */
const section = (heading: string) =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";

/** Errors as the page on errors writes them, such as `NotSigner(address signer)`. */
async function errorsOf(contract: string): Promise<string[]> {
  const { abi } = await artifacts.readArtifact(contract);
  return Interface.from(abi).fragments.flatMap((fragment) =>
    ErrorFragment.isFragment(fragment) ? [fragment.format("full").replace("error ", "")] : [],
  );
}

/** The errors that the page on errors lists as raised by a contract. */
const errorsRaisedBy = (raiser: string) =>
  [...read("errors/contract.md").matchAll(/^- `([^`]+)` \(([^)]+)\):/gm)].flatMap(([, error, by]) =>
    by === raiser ? [error] : [],
  );

describe("The guide to the contracts", () => {
  it("lists the registry's errors as they are", async () => {
    expect(section("What the registry checks")).to.include(
      "](errors/contract.md#when-a-verification-is-used)",
    );
    expect(errorsRaisedBy("registry")).to.have.members(await errorsOf("ISignerRegistry"));
  });

  it("lists the functions and the errors for tests as they are", async () => {
    const source = readFileSync(new URL("../../contracts/testing/TestIdentity.sol", import.meta.url), "utf8");
    const functions = new Set(
      [...source.matchAll(/function ([a-z]\w*)\([^{;]*\binternal\b/g)].map(([, name]) => name),
    );
    const table = /^\| function of `TestIdentity`[\s\S]*?\n\n/m.exec(section("Test it"))?.[0] ?? "";
    const named = new Set([...table.matchAll(/`(\w+)\(/g)].map(([, name = ""]) => name));
    expect([...named].filter((name) => /^[a-z]/.test(name))).to.have.members([...functions]);
    expect(section("Test it")).to.include("](errors/contract.md#in-solidity-tests)");
    expect(errorsRaisedBy("`TestIdentity`")).to.have.members(await errorsOf("TestIdentity"));
  });

  it("tells, with the page on gas, what the snapshot tells", () => {
    const toNumber = (cell: string | undefined) => Number(cell?.replace(/\s/g, ""));
    const named = (example: string) => Object.keys(gas).find((call) => call.startsWith(`${example}.`));
    const examples = rowsOf(section("Examples")).map(([name, cells]) => [named(name), toNumber(cells[2])]);
    const compared = rowsOf(read("gas.md"))
      .filter(([call]) => call in gas)
      .map(([call, cells]) => [call, toNumber(cells[0])]);
    expect(examples).to.have.length(4);
    expect(compared).to.have.length(4);
    // One example is on both pages.
    for (const told of [examples, compared]) expect(gas).to.include(Object.fromEntries(told));
    expect(Object.fromEntries([...examples, ...compared])).to.deep.equal(gas);
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
