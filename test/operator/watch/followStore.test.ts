import { expect } from "chai";
import { followStore } from "../../../packages/operator/watch/followStore.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { atTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { alice, bob, engines, newStore } from "../../fixtures/signer/stores.ts";

const consumer = `0x${"12".repeat(20)}`;
const pin = { chainId: 84532, consumer, policyHash: `0x${"ab".repeat(32)}`, cutoffBlock: 0n } as const;

describe("The store that a watch follows", () => {
  const { PostgreSQL: postgres, SQLite: sqlite } = engines;
  if (postgres === undefined || sqlite === undefined) throw new Error("an engine is missing");

  it("needs no right to read the pins, because the audit trail names their consumers", async () => {
    const { store, query, options } = await newStore(postgres);
    await store.pin(pin);
    await query("create role watcher login");
    onCleanup(() => query("drop owned by watcher").then(() => query("drop role watcher")));
    await query("grant select on all tables in schema public to watcher");
    await query("revoke select on pins from watcher");
    const url = Object.assign(new URL(options.databaseUrl), { username: "watcher" });
    const followed = await followStore({ ...options, databaseUrl: url.href });
    await followed.refresh(true);
    expect([...followed.consumers]).to.deep.equal([consumer]);
  });

  it("is read again for five minutes back, because another service's clock may be late", async () => {
    const { store, options, open } = await newStore(sqlite);
    const enter = (to: typeof store, signer: string) =>
      to.enter({ event: "signer-used", chainId: 84532, signer });
    await enter(store, alice);
    const followed = await followStore(options);
    expect([...followed.signers]).to.deep.equal([alice]);
    const late = await open();
    await atTime(Date.now() - 290_000, () => enter(late, bob));
    await followed.refresh(true);
    expect([...followed.signers]).to.deep.equal([alice, bob]);
  });

  it("is in trouble when its pins cannot be read for another reason", async () => {
    const { query, options } = await newStore(sqlite);
    await query("drop table pins");
    const followed = await followStore(options);
    expect((await rejection(followed.refresh(true))).message).to.include("no such table");
  });
});
