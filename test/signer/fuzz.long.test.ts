import { randomInt } from "node:crypto";
import { expect } from "chai";
import { attacks, fuzz } from "../fixtures/fuzz/run.ts";
import { startTarget, type Target } from "../fixtures/fuzz/target.ts";

// `npm run fuzz` does the same for as long as one wants.
describe("Whatever is sent, the service stays as it was, and answers no 5xx: with", () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });

  for (const { name } of attacks) {
    for (const seed of [1, randomInt(2 ** 31)]) {
      it(`${name}, from seed ${seed}`, async () => {
        const { heap } = await fuzz(target, { seed, goesOn: (round) => round < 1, name });
        expect(heap).to.have.length(1);
      });
    }
  }
});
