import { readFileSync } from "node:fs";
import { expect } from "chai";
import gas from "../vectors/gas.json" with { type: "json" };

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");

const toNumber = (text = "") => Number(text.replaceAll(",", ""));

describe("The pages on consumers and on gas", () => {
  it("tell the gas of the snapshot", () => {
    const named = (example: string) => Object.keys(gas).find((call) => call.startsWith(`${example}.`));
    const examples = [...read("contracts.md").matchAll(/^- `(\w+)` \(([\d,]+) gas\): /gm)].map(
      ([, name = "", used]) => [named(name), toNumber(used)],
    );
    const compared = [...read("gas.md").matchAll(/^\| `([^`]+)`[^|]*\| +([\d,]+) \|/gm)]
      .filter(([, call = ""]) => call in gas)
      .map(([, call, used]) => [call, toNumber(used)]);
    expect(examples).to.have.length(5);
    expect(compared).to.have.length(4);
    for (const told of [examples, compared]) expect(gas).to.include(Object.fromEntries(told));
  });
});
