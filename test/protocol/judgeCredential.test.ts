import { expect } from "chai";
import { judgeCredential } from "../../protocol/judgeCredential.ts";

describe("judgeCredential", () => {
  const conditions = [{ name: "followers", op: "gt", value: "1000" }];
  const fitting = {
    ...{ policy: { provider: "microblog", conditions }, traits: { followers: "1001" } },
    ...{ cutoffBlock: 7n, cutoffTime: 5_000, oldest: 5_000, authenticatedAt: 5_000 },
  };
  const account = "The microblog account";
  const cases: [
    change: Partial<Parameters<typeof judgeCredential>[0]>,
    detail?: string,
    isUnmet?: boolean,
  ][] = [
    [{}],
    [{ cutoffBlock: 0n, cutoffTime: undefined }],
    [{ cutoffBlock: 0n, cutoffTime: 6_000 }],
    [{ cutoffTime: 5_001, traits: {} }, `${account} was proven before block 7: prove it again.`],
    [{ cutoffTime: undefined }, "Accounts must be proven after block 7, which does not exist yet."],
    [{ oldest: 5_001, traits: {} }, `${account} was proven too long ago: prove it again.`],
    [
      { traits: { followers: "1000" } },
      `${account} does not meet the condition followers gt 1000: its value is 1000.`,
      true,
    ],
    [{ traits: {} }, `${account} does not meet the condition followers gt 1000: its value is missing.`, true],
  ];
  for (const [change, developerDetail, isUnmet] of cases) {
    it(`says ${developerDetail ?? "nothing"}`, () => {
      const detail = isUnmet ? `${account} does not meet the contract's conditions.` : developerDetail;
      const code = isUnmet ? "conditions_not_satisfied" : "needs_reauth";
      expect(judgeCredential({ ...fitting, ...change })).to.deep.equal(
        developerDetail && { code, detail, developerDetail },
      );
    });
  }
});
