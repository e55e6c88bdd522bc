import { expect } from "chai";
import { judgeTwins } from "../../bench/report/report.ts";

describe("A promise that is measured twice", () => {
  const judge = (first: number, second: number) =>
    judgeTwins("at least 10 times", [first, second], { atLeast: 10 }, (values) => values.join(" and "));

  it("calls a target met where both measurements meet it, and missed where both miss it", () => {
    expect(judge(10, 12)).to.deep.equal({ promise: "at least 10 times", got: "10 and 12", met: true });
    expect(judge(9.9, 8)).to.deep.equal({ promise: "at least 10 times", got: "9.9 and 8", met: false });
  });

  it("says that it cannot tell where two measurements disagree about a target", () => {
    expect(judge(9, 11).met).to.equal(undefined);
    expect(judge(11, 9).met).to.equal(undefined);
  });
});
