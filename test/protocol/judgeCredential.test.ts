import { expect } from "chai";
import { judgeCredential } from "../../protocol/judgeCredential.ts";

describe("judgeCredential", () => {
  const conditions = [{ name: "followers", op: "gt", value: "1000" }];
  const fitting = {
    ...{ policy: { provider: "microblog", conditions }, traits: { followers: "1001" } },
    ...{ cutoffBlock: 7n, cutoffTime: 5_000, oldest: 5_000, authenticatedAt: 5_000 },
  };
  const old = "The microblog account was proven too long ago: prove it again.";
  const before = "The microblog account was proven before block 7: prove it again.";
  const future = "Accounts must be proven after block 7, which does not exist yet.";
  const unmet = (value: string) =>
    `The microblog account does not meet the condition followers gt 1000: its value is ${value}.`;

  const cases: [change: Partial<Parameters<typeof judgeCredential>[0]>, detail?: string, code?: string][] = [
    [{}],
    [{ cutoffBlock: 0n, cutoffTime: undefined }],
    [{ cutoffBlock: 0n, cutoffTime: 6_000 }],
    [{ cutoffTime: 5_001, traits: {} }, before],
    [{ cutoffTime: undefined }, future],
    [{ oldest: 5_001, traits: {} }, old],
    [{ traits: { followers: "1000" } }, unmet("1000"), "conditions_not_satisfied"],
    [{ traits: {} }, unmet("missing"), "conditions_not_satisfied"],
  ];
  for (const [change, developerDetail, code = "needs_reauth"] of cases) {
    it(`says ${developerDetail ?? "nothing"}`, () => {
      const detail =
        code === "needs_reauth"
          ? developerDetail
          : "The microblog account does not meet the contract's conditions.";
      const refusal = developerDetail && { code, detail, developerDetail };
      expect(judgeCredential({ ...fitting, ...change })).to.deep.equal(refusal);
    });
  }
});
