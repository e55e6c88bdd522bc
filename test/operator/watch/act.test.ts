import { expect } from "chai";
import { openActing } from "../../../packages/operator/watch/act.ts";
import type { Brake } from "../../../packages/operator/watch/brake.ts";
import { createWatchMetrics } from "../../../packages/operator/watch/metrics.ts";
import { openTeller, type WatchEvent } from "../../../packages/operator/watch/teller.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { passTime } from "../../fixtures/passTime.ts";

describe("The brake of a watch", () => {
  it("is tried every minute, because its guardian may have spent its ether since", async () => {
    const events: WatchEvent[] = [];
    const metrics = createWatchMetrics();
    const tell = (event: WatchEvent) => events.push(event);
    const teller = openTeller({ tell, onProgress: () => undefined, webhook: undefined, metrics });
    let [checks, isPoor] = [0, false];
    const brake = {
      guardian: "the guardian",
      async check() {
        checks++;
        if (isPoor) throw new InvalidInputError("The guardian has 0 wei.");
      },
      remove: async () => expect.fail("Nobody is to be removed."),
    } satisfies Brake;
    const act = openActing({
      all: () => [],
      readAllowlist: async () => ["a signer"],
      brake,
      consumers: new Set(),
      others: new Set(),
      teller,
      metrics,
    });
    const canBrake = async () => (await metrics.canBrake.get()).values[0]?.value;
    for (let i = 0; i < 2; i++) await act();
    expect([checks, await canBrake(), events]).to.deep.equal([1, 1, []]);
    isPoor = true;
    passTime(60_000);
    await act();
    expect([checks, await canBrake()]).to.deep.equal([2, 0]);
    expect(events).to.deep.equal([{ event: "cannot-brake", problem: "The guardian has 0 wei." }]);
  });
});
