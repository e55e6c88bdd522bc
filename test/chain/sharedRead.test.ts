import { mock } from "node:test";
import { expect } from "chai";
import { shareReads } from "../../chain/sharedRead.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("shareReads", () => {
  /** Reads that end when they are told to, the last one or a given one, and how often one was started. */
  function fixture(joinFor: number) {
    const started: string[] = [];
    const reads: { resolve(answer: string): void; reject(error: Error): void }[] = [];
    const read = shareReads((key) => {
      started.push(key);
      return new Promise<string>((resolve, reject) => reads.push({ resolve, reject }));
    }, joinFor);
    const finish = (index = reads.length - 1) => reads[index]?.resolve(`${started[index]} ${index + 1}`);
    const fail = () => reads.at(-1)?.reject(new Error("The node is down."));
    return { read, started, finish, fail };
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
