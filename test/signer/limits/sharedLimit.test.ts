import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import {
  limitInParent,
  limitInWorker,
  type WorkerLimiter,
} from "../../../signer/internal/limits/sharedLimit.ts";

describe("A limit that workers hold together", () => {
  /** Workers and their parent; messages between them take a turn of the event loop, as they do between processes. */
  function share(limit: number, workers: number) {
    const all: WorkerLimiter[] = [];
    const time = { now: 0 };
    const messages = { count: 0 };
    async function pass<Answer>(ask: () => Answer): Promise<Awaited<Answer>> {
      messages.count++;
      await setImmediate();
      const answer = await ask();
      await setImmediate();
      return answer;
    }
    async function handOver(key: string) {
      const answered = await Promise.all(all.map((worker) => pass(() => worker.handOver(key))));
      return answered.reduce((sum, each) => sum + each, 0);
    }
    const readClock = () => time.now;
    const count = limitInParent({ limit, workers, handOver }, readClock);
    for (let i = 0; i < workers; i++) {
      all.push(limitInWorker({ limit, workers, count: (key) => pass(() => count(key)) }, readClock));
    }
    /** Has a worker count a request; answers whether it is within the limit. */
    async function request(worker: number, key = "one") {
      const allowance = await all[worker % workers]?.count(key);
      if (allowance === undefined) throw new Error("no worker");
      return allowance;
    }
    const countAllowed = async (requests: Promise<{ allowed: boolean }>[]) =>
      (await Promise.all(requests)).filter(({ allowed }) => allowed).length;
    return { time, messages, request, countAllowed };
  }

  for (const [limit, workers] of [
    [1, 2],
    [5, 2],
    [30, 2],
    [30, 4],
    [601, 3],
  ] as const) {
    it(`lets ${limit} through, no more and no less, whichever of ${workers} workers are asked`, async () => {
      const orders: Record<string, (index: number) => number> = {
        "one worker": () => 0,
        "in turn": (index) => index,
        "one after the other": (index) => Math.floor(index / limit),
        unevenly: (index) => (index % 7 === 0 ? 1 : 0),
      };
      for (const [name, workerOf] of Object.entries(orders)) {
        const together = share(limit, workers);
        const all = Array.from({ length: 3 * limit }, (_, index) => together.request(workerOf(index)));
        expect(await together.countAllowed(all), `${name}, at once`).to.equal(limit);

        const { request } = share(limit, workers);
        let allowed = 0;
        for (let i = 0; i < 2 * limit; i++) if ((await request(workerOf(i))).allowed) allowed++;
        expect(allowed, `${name}, by and by`).to.equal(limit);
      }
    });
  }

  it("counts each key for itself, and begins anew each minute", async () => {
    const { request, countAllowed, time } = share(10, 2);
    const send = (key: string) => countAllowed(Array.from({ length: 30 }, (_, i) => request(i, key)));
    expect([await send("one"), await send("two")]).to.deep.equal([10, 10]);
    time.now = 59_999;
    expect(await send("one")).to.equal(0);
    expect((await request(1)).reset).to.equal(1);
    time.now = 60_000;
    expect(await send("one")).to.equal(10);
    expect((await request(1)).reset).to.equal(60);
  });

  it("needs no message while a client is far from the limit, nor once it is over", async () => {
    const { request, messages } = share(600, 2);
    for (let i = 0; i < 300; i++) await request(i);
    expect(messages.count).to.equal(0);
    for (let i = 0; i < 600; i++) await request(i);
    const spent = messages.count;
    for (let i = 0; i < 600; i++) expect((await request(i)).allowed).to.equal(false);
    expect(messages.count).to.equal(spent);
  });

  it("answers at once where no other worker has to be asked", () => {
    const never = () => Promise.reject(new Error("asked"));
    const limiter = limitInWorker({ limit: 8, workers: 2, count: never }, () => 0);
    expect(limiter.count("one")).to.deep.equal({ allowed: true, remaining: 7, reset: 60 });
    expect(limiter.count("one")).to.deep.equal({ allowed: true, remaining: 6, reset: 60 });
  });

  it("tells what remains of all, once all are asked", async () => {
    const { request } = share(4, 2);
    const remaining = [];
    for (let i = 0; i < 5; i++) remaining.push((await request(0)).remaining);
    expect(remaining).to.deep.equal([3, 2, 1, 0, 0]);
  });
});
