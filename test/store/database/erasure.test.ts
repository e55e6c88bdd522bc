import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { createErasure } from "../../../packages/store/database/erasure.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";

describe("A row that is deleted while the log is being emptied", () => {
  it("counts as erased once the log was emptied again", async () => {
    const ends: ((isEmpty: boolean) => void)[] = [];
    const erasure = createErasure(() => new Promise((resolve) => ends.push(resolve)));
    const first = erasure.request();
    while (ends.length < 1) await setImmediate();
    const second = erasure.request();
    ends[0]?.(true);
    await first;
    expect(await erasure.done(0)).to.equal(false);
    while (ends.length < 2) await setImmediate();
    ends[1]?.(true);
    await second;
    expect(await erasure.done(0)).to.equal(true);
    const stopped = erasure.stop();
    while (ends.length < 3) await setImmediate();
    ends[2]?.(true);
    await stopped;
  });
});

describe("An erasure that a reader blocks", () => {
  it("is tried again within seconds, for as long as it takes, without anybody asking", async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    onCleanup(() => mock.timers.reset());
    let tries = 0;
    const erasure = createErasure(async () => ++tries >= 10);
    await erasure.request();
    expect(await erasure.done(0)).to.equal(false);
    for (let seconds = 0; seconds < 9; seconds++) {
      mock.timers.tick(1_000);
      await setImmediate();
    }
    expect(tries).to.equal(10);
    expect(await erasure.done(0)).to.equal(true);
    // Then once a minute, for what other processes leave; and once at the end.
    for (const [seconds, wanted] of [
      [50, 10],
      [1, 11],
      [59, 11],
      [1, 12],
    ] as const) {
      for (let i = 0; i < seconds; i++) {
        mock.timers.tick(1_000);
        await setImmediate();
      }
      expect(tries).to.equal(wanted);
    }
    await erasure.stop();
    mock.timers.tick(120_000);
    await setImmediate();
    expect(tries).to.equal(13);
  });
});
