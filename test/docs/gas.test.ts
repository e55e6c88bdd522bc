import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../fixtures/tasks/hardhat.ts";
import snapshot from "../vectors/gas.json" with { type: "json" };

describe("The guide to gas", () => {
  it("gives our consumers the gas of their snapshot", () => {
    const page = readFileSync(join(root, "docs/gas.md"), "utf8");
    const rows = [...page.matchAll(/^\| `([\w.]+)`:.*?\| +([\d,]+) \|/gm)];
    const own = rows.flatMap(([, claim = "", gas = ""]) =>
      claim in snapshot ? [[claim, Number(gas.replaceAll(",", ""))]] : [],
    );
    expect(own).to.have.lengthOf(8);
    for (const [claim, gas] of own) expect(gas, `${claim}`).to.equal(Object(snapshot)[`${claim}`]);
  });
});
