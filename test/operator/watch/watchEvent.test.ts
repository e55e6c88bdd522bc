import { expect } from "chai";
import { describeEvent, type WatchEvent } from "../../../packages/operator/watch/watchEvent.ts";

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
      expect(describeEvent(event)).to.equal(said);
    });
  }
});
