import { readFileSync } from "node:fs";
import { expect } from "chai";
import report from "../../bench/gas/report.json" with { type: "json" };
import { claims, table } from "../../bench/gas/report.ts";
import snapshot from "../vectors/gas.json" with { type: "json" };

describe("The guide to gas", () => {
  it("has the table of the recorded report", () => {
    const text = readFileSync(new URL("../../docs/gas.md", import.meta.url), "utf8");
    expect(text).to.include(`\n${table(report)}\n`);
    expect(report).to.have.all.keys(...Object.keys(claims));
  });

  it("tells of our own consumers what their snapshot tells", () => {
    const own = Object.entries(report).filter(([name]) => name in snapshot);
    expect(own).to.have.lengthOf(4);
    for (const [name, { gas }] of own) expect(gas, name).to.equal(Object(snapshot)[name]);
  });
});
