import { expect } from "chai";
import { judgeCredential } from "../../packages/protocol/judgeCredential.ts";

describe("judgeCredential", () => {
  it("judges when an account was proven, to the second, and then its traits", () => {
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const fitting = {
      policy: { provider: "microblog", conditions },
      traits: { followers: "1001" },
      cutoffBlock: 7n,
      cutoffTime: 5_000,
      oldest: 5_000,
      authenticatedAt: 5_000,
    };
    const account = "The microblog account";
    const again = (detail: string) => ({ code: "needs_reauth", detail, developerDetail: detail });
    const unmet = (value: string) => ({
      code: "conditions_not_satisfied",
      detail: `${account} does not meet the contract's conditions.`,
      developerDetail: `${account} does not meet the condition followers gt 1000: its value is ${value}.`,
    });
    for (const [change, refusal] of [
      [{}, undefined],
      [{ cutoffBlock: 0n, cutoffTime: undefined }, undefined],
      [{ cutoffBlock: 0n, cutoffTime: 6_000 }, undefined],
      [{ cutoffTime: 5_001, traits: {} }, again(`${account} was verified before block 7: verify it again.`)],
      [
        { cutoffTime: undefined },
        again("Accounts must be verified after block 7, which does not exist yet."),
      ],
      [{ oldest: 5_001, traits: {} }, again(`${account} was verified too long ago: verify it again.`)],
      [{ traits: { followers: "1000" } }, unmet("1000")],
      [{ traits: {} }, unmet("missing")],
    ] as const) {
      expect(judgeCredential({ ...fitting, ...change })).to.deep.equal(refusal);
    }
  });
});
