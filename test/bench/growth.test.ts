import { expect } from "chai";
import { judgeGrowth, type Sample, takeThirds } from "../../bench/report/growth.ts";

const steady: Sample = { resident: 200e6, heap: 40e6, sockets: 70, files: 22 };

/** Thirty slices, of each of which is told what differs. */
const soak = (change: (slice: number) => Partial<Sample>) =>
  judgeGrowth(takeThirds(Array.from({ length: 30 }, (_, slice) => ({ ...steady, ...change(slice) }))));

const broken = (change: (slice: number) => Partial<Sample>) =>
  soak(change)
    .filter(({ met }) => !met)
    .map(({ promise }) => promise);

describe("The check for growth", () => {
  it("lets a service pass that takes what it took, whatever it took while it got warm", () => {
    expect(broken((slice) => ({ resident: slice < 3 ? 90e6 : 200e6 + (slice % 5) * 5e6 }))).to.deep.equal([]);
  });

  const leaks: Record<string, (slice: number) => Partial<Sample>> = {
    memory: (slice) => ({ resident: 200e6 + slice * 2e6 }),
    heap: (slice) => ({ heap: 40e6 + slice * 1e6 }),
    sockets: (slice) => ({ sockets: 70 + slice }),
    files: (slice) => ({ files: 22 + slice }),
  };
  for (const [name, change] of Object.entries(leaks)) {
    it(`finds ${name} that leak, little by little`, () => {
      const [promise, ...others] = broken(change);
      expect(promise).to.include(name);
      expect(others).to.deep.equal([]);
    });
  }

  it("does not judge what is too short", () => {
    expect(() => takeThirds([steady, steady])).to.throw("four samples");
  });
});
