import { randomInt } from "node:crypto";
import { expect } from "chai";
import { compareParsers } from "../../fixtures/fuzz/compare.ts";
import { differences, judge } from "../../fixtures/fuzz/judge.ts";
import { vectors } from "../../fixtures/fuzz/messages.ts";

// `npm run fuzz -- --messages 1000000` does the same for longer.
describe("Beside the parser that others have long used, ours is stricter alone, for the reasons that are listed", () => {
  it("in the public vectors", () => {
    for (const vector of vectors) expect(["accepted", "refused"]).to.include(judge(vector));
  });

  it("in messages from seed 1, which has every verdict", () => {
    const verdicts = compareParsers({ seed: 1, count: 4_000 });
    expect(verdicts).to.have.all.keys("accepted", "refused", ...differences);
    expect(verdicts.accepted).to.be.above(1_000);
  });

  const seed = randomInt(2 ** 31);
  it(`in messages from seed ${seed}`, () => {
    expect(compareParsers({ seed, count: 2_000 }).accepted).to.be.above(400);
  });
});
