import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ErrorFragment, Interface } from "ethers";
import { artifacts } from "hardhat";
import gas from "../vectors/gas.json" with { type: "json" };

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");

const toNumber = (text = "") => Number(text.replaceAll(",", ""));

/** Errors as the page on errors writes them, such as `NotSigner(address signer)`. */
async function errorsOf(contract: string): Promise<string[]> {
  const { abi } = await artifacts.readArtifact(contract);
  return Interface.from(abi).fragments.flatMap((fragment) =>
    ErrorFragment.isFragment(fragment) ? [fragment.format("full").replace("error ", "")] : [],
  );
}

/** The errors that the page on errors lists as raised by a contract. */
const errorsRaisedBy = (raiser: string) =>
  [...read("errors/contract.md").matchAll(/^`([^`]+)` \(([^)]+)\):/gm)].flatMap(([, error, by]) =>
    by === raiser ? [error] : [],
  );

describe("The page on the contracts' errors", () => {
  it("lists the registry's errors as they are", async () => {
    expect(errorsRaisedBy("registry")).to.have.members(await errorsOf("ISignerRegistry"));
  });
});

describe("The guide to the contracts", () => {
  it("tells the gas of the snapshot, with the page on gas", () => {
    const named = (example: string) => Object.keys(gas).find((call) => call.startsWith(`${example}.`));
    const examples = [...read("contracts.md").matchAll(/^- `(\w+)` \(([\d,]+) gas\): /gm)].map(
      ([, name = "", used]) => [named(name), toNumber(used)],
    );
    const compared = [...read("gas.md").matchAll(/^\| `([^`]+)`[^|]*\| +([\d,]+) \|/gm)]
      .filter(([, call = ""]) => call in gas)
      .map(([, call, used]) => [call, toNumber(used)]);
    expect(examples).to.have.length(5);
    expect(compared).to.have.length(8);
    // One example is on both pages.
    for (const told of [examples, compared]) expect(gas).to.include(Object.fromEntries(told));
    expect(Object.fromEntries([...examples, ...compared])).to.deep.equal(gas);
  });
});
