import { mock } from "node:test";
import { expect } from "chai";
import { keepReading, shareReads } from "../../chain/sharedRead.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("shareReads", () => {
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
    return { read, running, kept, started, finish, fail };
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
