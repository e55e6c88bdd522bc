import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`The counts of limits on ${engine}`, () => {
    const fixture = () => newStore(createDatabase);

    it("adds up what replicas answered, each minute anew, and forgets it", async () => {
      const { store, open, query } = await fixture();
      const other = await open();
      const both = [
        { key: "one", count: 3, left: 60_000 },
        { key: "two", count: 1, left: 20_000 },
      ];
      const counted = await store.countRequests(both);
      expect(counted.map(({ key, count }) => [key, count])).to.have.deep.members([
        ["one", 3],
        ["two", 1],
      ]);
      const [again] = await other.countRequests([{ key: "two", count: 4, left: 60_000 }]);
      expect(again?.count).to.equal(5);
      // As long as the first one said.
      expect(again?.left).to.be.within(1, 20_000);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 === 0 ? store : other).countRequests(index % 3 === 0 ? both : [...both].reverse()),
        ),
      );
      expect((await store.countRequests(both)).map(({ count }) => count).sort((a, b) => a - b)).to.deep.equal(
        [26, 66],
      );
      await query("update limit_counts set ends_at = ends_at - 60000 where key = 'one'");
      const [anew] = await store.countRequests([{ key: "one", count: 1, left: 60_000 }]);
      expect(anew).to.include({ key: "one", count: 1 });
      expect(anew?.left).to.be.within(1, 60_000);
    });

    it("deletes counts that are over, also when nobody comes any more", async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      onCleanup(() => mock.timers.reset());
      const { store, query } = await fixture();
      await store.countRequests([
        { key: "over", count: 1, left: 1 },
        { key: "current", count: 1, left: 60_000 },
      ]);
      await query("update limit_counts set ends_at = ends_at - 1000 where key = 'over'");
      mock.timers.tick(60_000);
      const keys = async () => (await query("select key from limit_counts")).map(({ key }) => key);
      for (let i = 0; i < 1_000 && (await keys()).length > 1; i++) await setImmediate();
      expect(await keys()).to.deep.equal(["current"]);
    });
  });
}
