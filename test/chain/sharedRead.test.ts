import { mock } from "node:test";
import { expect } from "chai";
import { keepReading, shareReads } from "../../chain/sharedRead.ts";
import { rejection } from "../fixtures/rejection.ts";

/** Until what was just answered has come everywhere. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("shareReads", function () {
  // Nothing real is waited for.
  this.timeout(2_000);
  /** Reads that end when they are told to, the last one or a given one, and how often one was started. */
  function fixture(lasts: number) {
    const started: string[] = [];
    const reads: { resolve(answer: string): void; reject(error: Error): void }[] = [];
    const mayKeep = (answer: string) => !answer.startsWith("bad");
    const { read, running, kept } = shareReads(
      (key) => {
        started.push(key);
        return new Promise<string>((resolve, reject) => reads.push({ resolve, reject }));
      },
      { lasts, demand: 3, atMost: 2, mayKeep },
    );
    const finish = (index = reads.length - 1) => reads[index]?.resolve(`${started[index]} ${index + 1}`);
    const fail = () => reads.at(-1)?.reject(new Error("The node is down."));
    return { read, running, kept, reads, started, finish, fail };
  }

  afterEach(() => mock.restoreAll());

  it("lets those who ask for the same thing at the same time share one read", async () => {
    const { read, started, finish } = fixture(60_000);
    const asked = [read("a"), read("a")];
    finish();
    expect(await Promise.all(asked)).to.deep.equal(["a 1", "a 1"]);
    expect(started).to.deep.equal(["a"]);
  });

  it("starts another one for another thing, and once the first has ended", async () => {
    const { read, started, finish } = fixture(60_000);
    const first = read("a");
    finish();
    await first;
    void read("a");
    void read("b");
    expect(started).to.deep.equal(["a", "a", "b"]);
  });

  it("cannot be joined any more when its time is over, however long the read takes", () => {
    const { read, started } = fixture(0);
    void read("a");
    void read("a");
    expect(started).to.deep.equal(["a", "a"]);
  });

  it("tells of the read that can be joined, and of no other", async () => {
    let now = 0;
    mock.method(performance, "now", () => now);
    const { running, read, finish } = fixture(1_000);
    expect(running("a")).to.equal(undefined);
    const first = read("a");
    expect(running("a")).to.equal(first);
    expect(running("b")).to.equal(undefined);
    now = 1_000;
    expect(running("a")).to.equal(undefined);
    const second = read("a");
    expect(running("a")).to.equal(second);
    finish();
    await second;
    expect(running("a")).to.equal(undefined);
  });

  it("starts another one once the first has failed, however soon", async () => {
    const { read, started, fail } = fixture(60_000);
    const first = read("a");
    fail();
    expect((await rejection(first)).message).to.equal("The node is down.");
    void read("a");
    expect(started).to.deep.equal(["a", "a"]);
  });

  it("can be joined though an older one ends, which took longer than it could be joined", async () => {
    let now = 0;
    mock.method(performance, "now", () => now);
    const { read, started, finish } = fixture(1_000);
    const older = read("a");
    now = 1_000;
    void read("a");
    finish(0);
    await older;
    void read("a");
    expect(started).to.deep.equal(["a", "a"]);
  });

  describe("while three or more ask for a thing in a second", () => {
    let now = 0;
    beforeEach(() => {
      now = 0;
      mock.method(performance, "now", () => now);
    });

    /** Shared reads of which "a" is in demand and kept, and a way to ask as everybody does. */
    async function inDemand(answer?: string) {
      const shared = fixture(1_000);
      const { kept, read, reads, finish } = shared;
      const ask = async (key = "a") => kept(key, () => read(key)) ?? read(key);
      const asked = [ask(), ask(), ask()];
      if (answer === undefined) finish();
      else reads[0]?.resolve(answer);
      await Promise.all(asked);
      return { ...shared, ask };
    }

    it("gives what was read to everybody for a second from when it was asked for", async () => {
      const { ask, started, finish } = await inDemand();
      now = 499;
      expect(await ask()).to.equal("a 1");
      expect(started).to.deep.equal(["a"]);
      now = 1_000;
      const next = ask();
      expect(started).to.deep.equal(["a", "a"]);
      finish();
      expect(await next).to.equal("a 2");
    });

    it("reads it anew, once, when half of that is over, and lets nobody wait", async () => {
      const { ask, started, finish } = await inDemand();
      now = 500;
      expect(await Promise.all([ask(), ask()])).to.deep.equal(["a 1", "a 1"]);
      expect(started).to.deep.equal(["a", "a"]);
      finish();
      await settle();
      now = 1_499;
      expect(await ask()).to.equal("a 2");
    });

    it("goes on with what it has when that fails, and tries again", async () => {
      const { ask, started, fail, finish } = await inDemand();
      now = 500;
      await ask();
      fail();
      await settle();
      now = 501;
      expect(await ask()).to.equal("a 1");
      expect(started).to.have.length(3);
      finish();
      await settle();
      expect(await ask()).to.equal("a 3");
    });

    it("keeps no failure", async () => {
      const { kept, read, fail } = fixture(1_000);
      const asked = [1, 2, 3].map(async () => kept("a", () => read("a")) ?? rejection(read("a")));
      await settle();
      fail();
      await Promise.all(asked);
      expect(kept("a", async () => undefined)).to.equal(undefined);
    });

    it("keeps nothing that may not be kept, and forgets what it had for it", async () => {
      expect((await inDemand("bad")).kept("a", async () => undefined)).to.equal(undefined);
      const { ask, reads, kept } = await inDemand();
      now = 500;
      await ask();
      reads[1]?.resolve("bad");
      await settle();
      expect(kept("a", async () => undefined)).to.equal(undefined);
    });

    it("keeps the newest, in whichever order answers come", async () => {
      const { kept, read, finish } = await inDemand();
      now = 1_000;
      const older = read("a");
      now = 2_000;
      for (let i = 0; i < 3; i++) kept("a", async () => undefined);
      const newer = read("a");
      finish(2);
      await newer;
      finish(1);
      await older;
      expect(kept("a", async () => undefined)).to.equal("a 3");
    });

    it("keeps no more things than it may, and what was asked for last", async () => {
      const { ask, kept, finish } = await inDemand();
      for (const key of ["b", "c"]) {
        const asked = [ask(key), ask(key), ask(key)];
        finish();
        await Promise.all(asked);
      }
      const nothing = async () => undefined;
      expect(["b", "c"].map((key) => kept(key, nothing))).to.deep.equal(["b 2", "c 3"]);
      expect(kept("a", nothing)).to.equal(undefined);
    });

    it("keeps what was asked for again rather than what came later", async () => {
      const { ask, kept, finish } = await inDemand();
      const nothing = async () => undefined;
      for (const key of ["b", "c"]) {
        now++;
        const asked = [ask(key), ask(key), ask(key)];
        finish();
        await Promise.all(asked);
        now++;
        kept("a", nothing);
      }
      expect(["a", "c"].map((key) => kept(key, nothing))).to.deep.equal(["a 1", "c 3"]);
    });
  });

  it("keeps nothing of what fewer ask for", async () => {
    let now = 0;
    mock.method(performance, "now", () => now);
    const { kept, read, finish } = fixture(1_000);
    for (let i = 0; i < 6; i++) {
      expect(kept("a", async () => undefined)).to.equal(undefined);
      const answer = read("a");
      finish();
      await answer;
      now += 500;
    }
  });
});

describe("keepReading", () => {
  function fixture() {
    const reads: { resolve(answer: number): void; reject(error: Error): void }[] = [];
    const read = keepReading(
      () => new Promise<number>((resolve, reject) => reads.push({ resolve, reject })),
      1_000,
    );
    return { reads, read };
  }

  let now = 0;
  beforeEach(() => {
    now = 0;
    mock.method(performance, "now", () => now);
  });
  afterEach(() => mock.restoreAll());

  it("reads again when what was read is as old as it may be, from when it was asked for", async () => {
    const { reads, read } = fixture();
    const first = read();
    now = 400;
    reads[0]?.resolve(1);
    await first;
    now = 999;
    expect(await read()).to.equal(1);
    now = 1_000;
    const second = read();
    reads[1]?.resolve(2);
    expect(await second).to.equal(2);
    expect(reads).to.have.length(2);
  });

  it("reads once for all who wait, however long it takes", async () => {
    const { reads, read } = fixture();
    const asked = [read(), read()];
    now = 5_000;
    asked.push(read());
    reads[0]?.resolve(1);
    expect(await Promise.all(asked)).to.deep.equal([1, 1, 1]);
    expect(reads).to.have.length(1);
  });

  it("reads again after a failure, however soon", async () => {
    const { reads, read } = fixture();
    const first = read();
    reads[0]?.reject(new Error("The node is down."));
    expect((await rejection(first)).message).to.equal("The node is down.");
    const second = read();
    reads[1]?.resolve(2);
    expect(await second).to.equal(2);
  });
});
