import { properties, startTarget, type Target, tryProperty } from "../../fixtures/signer/anyRequest.ts";

// anyRequest.long.test.ts tries more. RUNS=100000 SEED=7 npm test -- test/signer/http/anyRequest
describe("The service", () => {
  let target: Target;
  before(async () => {
    target = await startTarget();
  });

  for (const [what, property] of Object.entries(properties)) {
    it(`gives a documented answer, no secret and no unjustified signature, to any ${what}`, () =>
      tryProperty(property, target, 6)).timeout(60_000);
  }
});
