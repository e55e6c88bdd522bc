import { randomInt } from "node:crypto";
import { expect } from "chai";
import { compareParsers } from "../../fixtures/fuzz/compare.ts";
import { differences, judge } from "../../fixtures/fuzz/judge.ts";
import { vectors } from "../../fixtures/fuzz/messages.ts";

// judge.long.test.ts and `npm run fuzz -- --messages 1000000` do the same for longer.
describe("Beside the parser that others have long used, ours is stricter alone, for the reasons that are listed", () => {
  it("in the public vectors", () => {
    for (const vector of vectors) expect(["accepted", "refused"]).to.include(judge(vector));
  });

  it("in messages from seed 16, which has every verdict", () => {
    const verdicts = compareParsers({ seed: 16, count: 500 });
    expect(verdicts).to.have.all.keys("accepted", "refused", ...differences);
    expect(verdicts.accepted).to.be.above(100);
  });

  const seed = randomInt(2 ** 31);
  it(`in messages from seed ${seed}`, () => {
    expect(compareParsers({ seed, count: 500 }).accepted).to.be.above(100);
  });
});
