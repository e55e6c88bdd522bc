import { expect } from "chai";
import { target } from "../../bench/report/report.ts";

describe("A promise of the bench", () => {
  it("is met at its limit where that is the least or the most, and only below it where it is not to be reached", () => {
    const met = (value: number, limit: Parameters<typeof target>[2]) => target("", value, limit, String).met;
    expect([9.9, 10, 12].map((value) => met(value, { atLeast: 10 }))).to.deep.equal([false, true, true]);
    expect([9.9, 10, 12].map((value) => met(value, { atMost: 10 }))).to.deep.equal([true, true, false]);
    expect([9.9, 10, 12].map((value) => met(value, { under: 10 }))).to.deep.equal([true, false, false]);
  });
});
