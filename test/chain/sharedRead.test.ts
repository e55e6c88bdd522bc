import { expect } from "chai";
import { shareReads } from "../../chain/sharedRead.ts";

describe("shareReads", () => {
  /** A read that ends when it is told to, and how often it was started. */
  function fixture(joinFor: number) {
    const started: string[] = [];
    let finish = () => {};
    const read = shareReads((key) => {
      started.push(key);
      return new Promise<string>((resolve) => {
        finish = () => resolve(`${key} ${started.length}`);
      });
    }, joinFor);
    return { read, started, finish: () => finish() };
  }

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
});
