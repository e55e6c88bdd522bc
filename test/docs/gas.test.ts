import { expect } from "chai";
import { readReport } from "../../bench/report/writeDocs.ts";
import snapshot from "../vectors/gas.json" with { type: "json" };

// That it has the table of the recorded report: test/docs/performance.test.ts.
describe("The guide to gas", () => {
  it("tells of our own consumers what their snapshot tells", () => {
    const rows = readReport("gas").gas?.rows ?? [];
    const own = rows.flatMap(({ name, values }) => {
      const [, claim = ""] = /^`(.*)`/.exec(name) ?? [];
      return claim in snapshot ? [[claim, values.gas] as const] : [];
    });
    expect(own).to.have.lengthOf(4);
    for (const [claim, gas] of own) expect(gas, claim).to.equal(Object(snapshot)[claim]);
  });
});
