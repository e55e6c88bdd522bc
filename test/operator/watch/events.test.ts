import { expect } from "chai";
import { learnSpan } from "../../../packages/operator/watch/events.ts";

describe("The blocks that a watch asks for at once", () => {
  /** Asks a node of a limit so many times, and returns how many blocks it takes then. */
  function learn(span: ReturnType<typeof learnSpan>, limit: number, times: number): number {
    for (let i = 0; i < times; i++) {
      const blocks = span.next();
      if (blocks > limit) span.refuse(blocks);
      else span.take(blocks);
    }
    return span.next();
  }

  it("are as many as the node takes, also after its limit has fallen, and fallen again", () => {
    const span = learnSpan();
    expect(learn(span, 700, 20)).to.equal(700);
    expect(learn(span, 50, 40)).to.equal(50);
    expect(learn(span, 1, 20)).to.equal(1);
  });

  it("are ten thousand at most", () => {
    expect(learn(learnSpan(), 1_000_000, 20)).to.equal(10_000);
  });
});
