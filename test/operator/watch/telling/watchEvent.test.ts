import { expect } from "chai";
import { unattributed } from "../../../../packages/operator/watch/judging/findings.ts";
import { describeEvent, type WatchEvent } from "../../../../packages/operator/watch/telling/watchEvent.ts";

describe("An event of a watch, in words,", () => {
  const problem = "It is away.";
  const cases: [WatchEvent, string][] = [
    [{ event: "watching", registry: "R", from: 7 }, "Watching the claims at the registry R from block 7."],
    [
      { event: "watching", registry: "R", from: 7, guardian: "G" },
      "Watching the claims at the registry R from block 7; the guardian G removes the signer of a forged claim.",
    ],
    [{ event: "cannot-judge", problem }, "CANNOT JUDGE: It is away."],
    [{ event: "cannot-brake", problem }, "CANNOT BRAKE: It is away."],
    [{ event: "cannot-save", problem }, "CANNOT SAVE the position: It is away."],
    [{ event: "cannot-post", problem }, problem],
    [{ event: "clock-ahead", problem }, problem],
    [{ event: "catching-up", block: 7, of: 9 }, "Judged up to block 7 of 9."],
    [{ event: "judges-again", block: 7 }, "Judges again, up to block 7."],
    [
      { event: "judged-in-part", from: 7, to: 9, addresses: ["A", "B"], problem: "Too many." },
      "Judged in part: blocks 7 to 9, A, B. Too many.",
    ],
    [
      { event: "brake-sent", signers: ["S", "T"], transactions: ["0x1", "0x2"] },
      "Sent the removal of S, T: 0x1, 0x2.",
    ],
    [{ event: "removed", signer: "S" }, "The registry refuses the signer S now."],
  ];
  for (const [event, said] of cases) {
    it(`is told with all that it has: ${said}`, () => {
      expect(describeEvent(event, new Set())).to.equal(said);
    });
  }

  it("is told as a forged claim only where a signature or a consumer that the operator named proves it", () => {
    const claim = { round: "0x0", identityHash: "0x1", transactionHash: "0x2", block: 1 };
    const tell = (kind: "forged" | "unproven", consumer: string, signer: string) => {
      const finding = { ...claim, kind, consumer, signer, foundAt: 0, isTold: true, isBraked: false };
      return describeEvent({ event: kind, finding }, new Set(["N"])).split(" at ")[0];
    };
    expect([
      tell("forged", "A", "S"),
      tell("forged", "N", unattributed),
      tell("forged", "A", unattributed),
      tell("unproven", "A", unattributed),
    ]).to.deep.equal(["FORGED CLAIM", "FORGED CLAIM", "Unattributed claim", "Unproven claim"]);
  });
});
