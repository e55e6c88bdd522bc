import { mock } from "node:test";
import { expect } from "chai";
import { keepReading, shareReads } from "../../packages/protocol/sharedRead.ts";
import { rejection } from "../fixtures/rejection.ts";

// consumer.test.ts tests how long a read is shared, and with which requests.
describe("shareReads", () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    mock.method(performance, "now", () => now);
  });
  afterEach(() => mock.restoreAll());

  /** Reads that end when they are told to. */
  function fixture() {
    const started: string[] = [];
    const reads: { resolve(answer: string): void; reject(error: Error): void }[] = [];
    const { answer, latest, start } = shareReads(
      (key) => {
        started.push(key);
        return new Promise<string>((resolve, reject) => reads.push({ resolve, reject }));
      },
      { lastsMs: 1_000, dueMs: 700, atMost: 2, mayKeep: (answer) => !answer.startsWith("bad") },
    );
    const ask = (key = "a") => latest(key) ?? start(key);
    const kept = (key: string) => answer(key);
    const isDue = (key: string) => {
      let told = false;
      answer(key, () => {
        told = true;
      });
      return told;
    };
    /** Three callers of a key, who share a read, and its answer. */
    const askThrice = async (answer: string, key = "a") => {
      const asked = [ask(key), ask(key), ask(key)];
      reads.at(-1)?.resolve(answer);
      return Promise.all(asked);
    };
    return { ask, askThrice, latest, kept, isDue, start, reads, started };
  }

  it("lets concurrent callers of a key share one read", async () => {
    const { ask, askThrice, started } = fixture();
    expect(await askThrice("one")).to.deep.equal(["one", "one", "one"]);
    void ask("b");
    expect(started).to.deep.equal(["a", "b"]);
  });

  it("lets nobody join a read that began a second ago", async () => {
    const { ask, reads, started } = fixture();
    const older = ask();
    now = 999;
    expect(ask()).to.equal(older);
    now = 1_000;
    const newer = ask();
    // The older one's end does not end the newer one.
    reads[0]?.resolve("one");
    await older;
    expect(ask()).to.equal(newer);
    expect(started).to.have.length(2);
  });

  it("keeps the answers of the keys that were read last, and of a limited number; none of a read that failed", async () => {
    const { ask, askThrice, reads, latest } = fixture();
    for (const key of ["a", "b", "c", "d"]) await askThrice(key, key);
    expect([latest("a"), latest("b")]).to.deep.equal([undefined, undefined]);
    expect([await latest("c"), await latest("d")]).to.deep.equal(["c", "d"]);
    const failing = [ask("e"), ask("e"), ask("e")];
    reads.at(-1)?.reject(new Error("The node is down."));
    await Promise.allSettled(failing);
    expect(latest("e")).to.equal(undefined);
  });

  /** A kept answer, "one", whose next read was begun when it was due. */
  async function renewed() {
    const found = fixture();
    const { ask, isDue, reads, start } = found;
    const first = ask();
    expect(isDue("a"), "a read under way").to.equal(false);
    reads[0]?.resolve("one");
    await first;
    now = 699;
    expect(isDue("a")).to.equal(false);
    now = 700;
    expect(isDue("a")).to.equal(true);
    expect(isDue("a"), "to another caller").to.equal(false);
    const next = start("a");
    expect(found.kept("a")).to.equal("one");
    return { ...found, next };
  }

  it("keeps an answer until the next one is there, and no longer than its time", async () => {
    const { kept, reads, next } = await renewed();
    now = 999;
    expect(kept("a")).to.equal("one");
    now = 1_000;
    expect(kept("a")).to.equal(undefined);
    reads[1]?.resolve("two");
    await next;
    expect(kept("a")).to.equal("two");
    now = 1_700;
    expect(kept("a")).to.equal(undefined);
  });

  it("keeps an answer to the end of its time if the next read fails, and not if what it reads must not be kept", async () => {
    const failing = await renewed();
    failing.reads[1]?.reject(new Error("The node is down."));
    await rejection(failing.next);
    expect([failing.kept("a"), failing.isDue("a")]).to.deep.equal(["one", false]);
    now = 1_000;
    expect(failing.kept("a")).to.equal(undefined);
    now = 0;
    const bad = await renewed();
    bad.reads[1]?.resolve("bad");
    await bad.next;
    expect(bad.kept("a")).to.equal(undefined);
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
