import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { paceNode } from "../../../../packages/operator/watch/reading/node.ts";
import { ChainUnavailableError } from "../../../../packages/protocol/chain/connect.ts";
import { passTime } from "../../../fixtures/passTime.ts";
import { rejection } from "../../../fixtures/rejection.ts";

describe("A watch whose node refused all calls for a while", () => {
  it("soon asks as often as before", async () => {
    const node = { refuses: 0, calls: 0 };
    const chain = {
      open: () => ({
        async request() {
          node.calls++;
          if (node.refuses-- > 0)
            throw new ChainUnavailableError("Too many requests.", { limit: "rate", retryAfterMs: 0 });
          return "0x1";
        },
      }),
    };
    const paced = paceNode(chain as unknown as Parameters<typeof paceNode>[0], undefined);
    const ask = () => paced.request({ method: "eth_blockNumber" });
    // A minute in which the node takes twenty calls a second; each batch has one of its own besides.
    for (let i = 0; i < 600; i++) await ask();
    passTime(60_001);
    await ask();
    node.refuses = 6;
    await ask();
    for (let minute = 0; minute < 3; minute++) {
      passTime(60_001);
      await ask();
    }
    const since = performance.now();
    for (let i = 0; i < 20; i++) await ask();
    // Forty calls would take ten seconds at the rate to which it had fallen.
    expect(performance.now() - since).to.be.below(6_000);
  });

  it("waits as long as the node says, or twice as long each time, and gives a call up after six more refusals", async () => {
    const told = [undefined, undefined, 300, 0, 0, 0, 0];
    const times: number[] = [];
    const request = () => {
      const retryAfterMs = told[times.length];
      times.push(performance.now());
      return Promise.reject(
        new ChainUnavailableError("Too many requests.", {
          limit: "rate",
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        }),
      );
    };
    const paced = paceNode({ open: () => ({ request }) as never }, undefined);
    expect((await rejection(paced.request({ method: "eth_blockNumber" }))).message).to.equal(
      "Too many requests.",
    );
    expect(times).to.have.length(7);
    // Node's timers count whole milliseconds.
    const pauses = times.slice(1, 4).map((time, i) => Math.ceil(time - (times[i] ?? 0)));
    for (const [i, least] of [1_000, 2_000, 300].entries()) expect(pauses[i]).to.be.at.least(least);
  }).timeout(30_000);

  it("pauses for all calls, not only for those that were refused", async () => {
    const times: number[] = [];
    const refusal = new ChainUnavailableError("Too many requests.", { limit: "rate", retryAfterMs: 400 });
    const request = async () => {
      if (times.push(performance.now()) === 1) throw refusal;
      return "0x1";
    };
    const paced = paceNode({ open: () => ({ request }) as never }, undefined);
    const first = paced.request({ method: "eth_blockNumber" });
    await delay(50);
    await Promise.all([first, paced.request({ method: "eth_gasPrice" })]);
    const [refused = 0, ...others] = times;
    expect(others).to.have.length(2);
    for (const time of others) expect(time - refused).to.be.at.least(400);
  });

  it("fails all calls that wait as soon as it is stopped", async () => {
    const request = () =>
      Promise.reject(
        new ChainUnavailableError("Too many requests.", { limit: "rate", retryAfterMs: 60_000 }),
      );
    const stopping = new AbortController();
    const paced = paceNode({ open: () => ({ request }) as never }, stopping.signal);
    const asked = ["eth_blockNumber", "eth_gasPrice"].map((method) => paced.request({ method }));
    const ended = Promise.allSettled(asked);
    setImmediate(() => stopping.abort());
    expect((await ended).map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
  }).timeout(10_000);
});
