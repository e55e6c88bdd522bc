import { expect } from "chai";
import { createLimiter } from "../../../signer/internal/limits/limiter.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";

describe("A limit of requests a minute", () => {
  it("counts each client for itself, and begins anew with each minute", () => {
    stopTime();
    const { count } = createLimiter(2);
    expect([count("one"), count("one"), count("one"), count("other")]).to.deep.equal([
      undefined,
      undefined,
      60,
      undefined,
    ]);
    passTime(59_500);
    expect(count("one")).to.equal(1);
    passTime(500);
    expect(count("one")).to.equal(undefined);
  });

  it("says in the second minute, too, in how many seconds the next one begins", () => {
    stopTime();
    const { count } = createLimiter(1);
    passTime(60_000);
    expect([count("one"), count("one")]).to.deep.equal([undefined, 60]);
    passTime(45_000);
    expect(count("one")).to.equal(15);
  });

  it("forgets the oldest of too many clients", () => {
    stopTime();
    const { count } = createLimiter(1);
    const countOthers = (from: number, to: number) => {
      for (let i = from; i < to; i++) count(`client ${i}`);
    };
    count("one");
    countOthers(0, 99_999);
    expect(count("one")).to.equal(60);
    countOthers(99_999, 100_000);
    expect(count("one")).to.equal(undefined);
  });
});
