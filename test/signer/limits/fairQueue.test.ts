import { mock } from "node:test";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { fairQueue, type QueueLimits } from "../../../signer/internal/limits/fairQueue.ts";
import { rejection } from "../../fixtures/rejection.ts";

/** Until all that could start has started. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** The clock by which the queue measures; it stands still unless a test moves it. */
let now = 0;
/** The number of readings of the clock until the process stands still for a moment. */
let readingsLeft = Number.POSITIVE_INFINITY;

describe("A fair queue", () => {
  beforeEach(() => {
    now = 0;
    readingsLeft = Number.POSITIVE_INFINITY;
    mock.method(performance, "now", () => {
      if (readingsLeft-- === 0) now += 200;
      return now;
    });
  });
  afterEach(() => mock.restoreAll());

  /** A queue, the names of what has started in it, and a way to end it. */
  function fixture(limits: Partial<QueueLimits> = {}) {
    const queue = fairQueue(
      { room: 2, share: 1, line: 100, lineShare: 50, waitMs: 60_000, scarce: "loop", ...limits },
      () => {
        told.refused++;
        return undefined;
      },
    );
    const told = {
      get waiting() {
        return queue.waiting();
      },
      refused: 0,
    };
    const started: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const run = (name: string, size = 1) => {
      const outcome = queue.runJob(name.charAt(0), size, () => {
        started.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        });
      });
      // Requests that still wait at a test's end do not matter.
      outcome.catch(() => undefined);
      return outcome;
    };
    const end = async (name: string, error?: Error) => {
      ends.get(name)?.(error);
      await settle();
    };
    return { told, queue, started, run, end };
  }

  it("runs a limited amount at once, and no more than a share of one client", async () => {
    const { started, run, end, told } = fixture();
    const all = ["a1", "a2", "b1", "c1"].map((name) => run(name));
    await settle();
    expect(started).to.deep.equal(["a1", "b1"]);
    expect(told.waiting).to.equal(2);
    await end("a1");
    // The room that became free goes to who has not had any, though a2 came first.
    expect(started).to.deep.equal(["a1", "b1", "c1"]);
    await end("b1");
    expect(started).to.deep.equal(["a1", "b1", "c1", "a2"]);
    await end("a2");
    await end("c1");
    expect(await Promise.all(all)).to.deep.equal(["a1", "a2", "b1", "c1"]);
    expect(told).to.deep.equal({ waiting: 0, refused: 0 });
  });

  it("lets clients take turns, however much one of them has waiting", async () => {
    const { started, run, end } = fixture({ room: 1, share: 1 });
    for (let i = 0; i < 20; i++) void run(`a${i}`);
    await settle();
    void run("b0");
    void run("b1");
    for (const name of ["a0", "b0", "a1", "b1", "a2"]) await end(name);
    expect(started).to.deep.equal(["a0", "b0", "a1", "b1", "a2", "a3"]);
  });

  it("starts a few at a time, so that what came in meanwhile has its turn", async () => {
    const { queue } = fixture({ room: 100, share: 100 });
    const order: string[] = [];
    const note = (name: string) => async () => void order.push(name);
    const busy = Array.from({ length: 20 }, () => queue.runJob("a", 1, note("a")));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...busy, queue.runJob("b", 1, note("b"))]);
    expect(order.indexOf("b")).to.be.within(1, 6);
  });

  it("gives a client a quarter of the time while others are there, and all of it when there are none", async () => {
    const { queue } = fixture({ room: 100, share: 100 });
    const order: string[] = [];
    const busy = (name: string) => () =>
      queue.runJob(name, 1, async () => {
        order.push(name);
        now += 10;
      });
    const [a, b] = [busy("a"), busy("b")];
    await Promise.all([a(), a(), a()]);
    expect(order.splice(0)).to.deep.equal(["a", "a", "a"]);
    await b();
    const more = [a(), a()];
    await settle();
    expect(order).to.deep.equal(["b", "a"]);
    now += 29;
    await setTimeout(20);
    expect(order).to.deep.equal(["b", "a"]);
    await Promise.all([...more, b()]);
    expect(order).to.deep.equal(["b", "a", "b", "a"]);
  });

  it("has a client rest after scarce work", async () => {
    const { started, run, end } = fixture({ room: 10, share: 10, scarce: "job" });
    const ends = async (name: string, took: number) => {
      now += took;
      await end(name);
      await setTimeout(20);
    };
    void run("a1");
    await ends("a1", 10);
    void run("a2");
    expect(started, "nobody else is there").to.deep.equal(["a1", "a2"]);
    void run("b1");
    await ends("a2", 10);
    expect(started).to.deep.equal(["a1", "a2", "b1"]);
    void run("a3");
    await ends("b1", 29);
    void run("c1");
    await settle();
    expect(started).to.deep.equal(["a1", "a2", "b1", "c1"]);
    await ends("c1", 1);
    expect(started).to.deep.equal(["a1", "a2", "b1", "c1", "a3"]);
    now += 10_000;
    void run("b2");
    await ends("a3", 0);
    void run("a4");
    await ends("b2", 199);
    expect(started.slice(5)).to.deep.equal(["b2"]);
    now += 1;
    await setTimeout(20);
    expect(started.slice(5), "a fifth of a second is enough, however slow it was").to.deep.equal([
      "b2",
      "a4",
    ]);
  });

  it("counts by size, and lets no small job overtake one that waits for room", async () => {
    const { started, run, end } = fixture({ room: 10, share: 10 });
    void run("a", 6);
    void run("b", 6);
    await settle();
    void run("c", 1);
    await settle();
    expect(started).to.deep.equal(["a"]);
    await end("a");
    expect(started).to.deep.equal(["a", "b", "c"]);
  });

  it("runs a job larger than a client's share if nothing else of the client runs", async () => {
    const { started, run, end } = fixture({ room: 10, share: 5 });
    void run("a1", 1);
    void run("a2", 7);
    await settle();
    expect(started).to.deep.equal(["a1"]);
    await end("a1");
    expect(started).to.deep.equal(["a1", "a2"]);
    void run("b", 3);
    await settle();
    expect(started).to.deep.equal(["a1", "a2", "b"]);
    await end("a2");
    void run("a3", 5);
    await settle();
    expect(started).to.deep.equal(["a1", "a2", "b", "a3"]);
  });

  it("remembers what a client has running, however many others come meanwhile", async () => {
    const { queue, started, run } = fixture({ room: 10, share: 1 });
    void run("a1");
    for (let i = 0; i < 5_000; i++) await queue.runJob(`other ${i}`, 1, async () => undefined);
    void run("a2");
    await settle();
    expect(started).to.deep.equal(["a1"]);
  });

  it("refuses only a client with too much waiting", async () => {
    const { run, told } = fixture({ room: 1, line: 4, lineShare: 3 });
    void run("z");
    await settle();
    for (const name of ["a1", "a2", "a3"]) void run(name);
    const message = "The service is at its limit; retry in a few seconds.";
    expect(await rejection(run("a4"))).to.include({ code: "overloaded", retryAfter: 2, message });
    void run("b1");
    expect(await rejection(run("c1"))).to.include({ code: "overloaded" });
    expect(told).to.deep.equal({ waiting: 4, refused: 2 });
  });

  it("frees the room of a failed job", async () => {
    const { started, run, end } = fixture({ room: 1 });
    const first = run("a");
    void run("b");
    await settle();
    const failed = rejection(first);
    await end("a", new Error("It failed."));
    expect((await failed).message).to.equal("It failed.");
    expect(started).to.deep.equal(["a", "b"]);
  });

  it("refuses a job that waited too long, and goes on with the next", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { started, run, told } = fixture({ room: 10, share: 10, waitMs: 2_000 });
      void run("a", 6);
      await settle();
      const late = rejection(run("b", 6));
      mock.timers.tick(1_000);
      void run("c", 1);
      mock.timers.tick(1_000);
      expect(await late).to.include({ code: "overloaded" });
      await settle();
      expect(started).to.deep.equal(["a", "c"]);
      expect(told).to.deep.equal({ waiting: 0, refused: 1 });
    } finally {
      mock.timers.reset();
    }
  });

  /** Two clients that both rest, so that nothing runs and the work of both waits. */
  async function bothRest() {
    const parts = fixture({ room: 10, share: 10, scarce: "job", waitMs: 2_000 });
    void parts.run("a1");
    void parts.run("b1");
    now += 10;
    await parts.end("a1");
    await parts.end("b1");
    void parts.run("a2");
    void parts.run("b2");
    await settle();
    expect(parts.started).to.deep.equal(["a1", "b1"]);
    return parts;
  }

  it("starts waiting jobs after the process stood still at any moment", async () => {
    for (let reading = 0; reading < 30; reading++) {
      const { started } = await bothRest();
      readingsLeft = reading;
      for (let i = 0; i < 50 && started.length < 4; i++) await setTimeout(2);
      expect(started, `stood still at reading ${reading}`).to.have.members(["a1", "b1", "a2", "b2"]);
    }
  });

  it("refuses no job that is late only because the process stood still", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { started, told } = await bothRest();
      now += 2_000;
      mock.timers.tick(2_000);
      await settle();
      expect(started).to.have.members(["a1", "b1", "a2", "b2"]);
      expect(told).to.deep.equal({ waiting: 0, refused: 0 });
    } finally {
      mock.timers.reset();
    }
  });
});
