import { expect } from "chai";
import fc from "fast-check";
import { differences, judge } from "../../fixtures/protocol/judge.ts";
import { signInMessages, vectors } from "../../fixtures/protocol/signInMessages.ts";

/** How many messages of each verdict there were. */
function countVerdicts(parameters: { seed?: number; numRuns: number }): Record<string, number> {
  const verdicts: Record<string, number> = {};
  fc.assert(
    fc.property(signInMessages, (message) => {
      const verdict = judge(message);
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    }),
    parameters,
  );
  return verdicts;
}

describe("Beside the parser that others have long used, our parser of sign-in messages", () => {
  it("reads the public vectors as the parser that others use, and is stricter alone", () => {
    for (const vector of vectors) expect(["accepted", "refused"]).to.include(judge(vector));
  });

  it("differs from the parser that others use as listed, and in nothing else", () => {
    const verdicts = countVerdicts({ seed: 16, numRuns: 500 });
    expect(verdicts).to.have.all.keys("accepted", "refused", ...differences);
    expect(verdicts.accepted).to.be.above(100);
  });

  // MESSAGES=1000000 npm test -- test/protocol/signIn/judge
  it("is stricter than the parser that others use in any message, for the listed reasons only", function () {
    const numRuns = Number(process.env.MESSAGES ?? 500);
    this.timeout(10_000 + 5 * numRuns);
    expect(countVerdicts({ numRuns }).accepted).to.be.above(numRuns / 8);
  });
});
