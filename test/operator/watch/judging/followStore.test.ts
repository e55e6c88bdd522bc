import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { followStore } from "../../../../packages/operator/watch/judging/followStore.ts";
import { onCleanup } from "../../../fixtures/cleanup.ts";
import { atTime, passTime } from "../../../fixtures/passTime.ts";
import { rejection } from "../../../fixtures/rejection.ts";
import { alice, bob, engines, newStore } from "../../../fixtures/signer/stores.ts";

const consumer = `0x${"12".repeat(20)}`;
const [carol, dave] = [`0x${"c".repeat(40)}`, `0x${"d".repeat(40)}`];
const pin = { chainId: 84532, consumer, policyHash: `0x${"ab".repeat(32)}`, cutoffBlock: 0n } as const;

const maxConsumers = 100;

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
    const followed = await followStore({ ...options, maxConsumers, databaseUrl: url.href });
    await followed.refresh(true);
    expect([...followed.consumers.keys()]).to.deep.equal([consumer]);
  });

  it("is read again for five minutes back, because another service's clock may be late", async () => {
    const { store, options, open } = await newStore(sqlite);
    const enter = (to: typeof store, signer: string) =>
      to.enter({ event: "signer-used", chainId: 84532, signer });
    await enter(store, alice);
    const followed = await followStore({ ...options, maxConsumers });
    expect([...followed.signers]).to.deep.equal([alice]);
    const late = await open();
    await atTime(Date.now() - 290_000, () => enter(late, bob));
    await followed.refresh(true);
    expect([...followed.signers]).to.deep.equal([alice, bob]);
  });

  it("has what is entered while the watch's own clock is ahead, and after a service's clock was", async () => {
    const { store, options } = await newStore(sqlite);
    const enter = (signer: string) => store.enter({ event: "signer-used", chainId: 84532, signer });
    await enter(alice);
    const ahead = <T>(act: () => Promise<T>) => atTime(Date.now() + 600_000, act);
    const followed = await ahead(() => followStore({ ...options, maxConsumers }));
    await enter(bob);
    await ahead(() => followed.refresh(true));
    expect([...followed.signers]).to.deep.equal([alice, bob]);
    await ahead(() => enter(carol));
    await followed.refresh(true);
    await enter(dave);
    await followed.refresh(true);
    expect([...followed.signers]).to.deep.equal([alice, bob, carol, dave]);
  });

  it("has the consumers of its chain for which a service signed or pinned, each signer, and after half a minute what is new", async () => {
    const { store, options } = await newStore(sqlite);
    const consumerOf = (byte: string) => `0x${byte.repeat(20)}`;
    const policyHash = pin.policyHash;
    const sign = (chainId: number, byte: string, signer: string) =>
      store.enter({
        event: "verification-signed",
        chainId,
        consumer: consumerOf(byte),
        identityHash: policyHash,
        policyHash,
        expiration: 1,
        signer,
        requestId: "a",
      });
    await sign(84532, "13", alice);
    await sign(10, "14", alice);
    await store.pin(pin);
    await store.pin({ ...pin, chainId: 10, consumer: consumerOf("15") });
    const { consumers, signers, refresh } = await followStore({ ...options, maxConsumers });
    expect([[...consumers.keys()].sort(), [...signers]]).to.deep.equal([
      [consumer, consumerOf("13")],
      [alice],
    ]);
    await sign(84532, "16", bob);
    await refresh();
    expect(consumers.size).to.equal(2);
    passTime(30_000);
    await refresh();
    while (!signers.has(bob)) await nextTurn();
    expect(consumers.has(consumerOf("16"))).to.equal(true);
  });

  it("names no more consumers than it is asked for: those that were used last, by the trail or a pin", async () => {
    const { store, options } = await newStore(sqlite);
    const consumerOf = (byte: string) => `0x${byte.repeat(20)}`;
    const sign = (byte: string) =>
      store.enter({
        event: "verification-signed",
        chainId: 84532,
        consumer: consumerOf(byte),
        identityHash: pin.policyHash,
        policyHash: pin.policyHash,
        expiration: 1,
        signer: alice,
        requestId: "a",
      });
    const now = Date.now();
    await atTime(now - 9_000, () => sign("01"));
    await atTime(now - 8_000, () => sign("ff"));
    await atTime(now - 6_000, () => sign("03"));
    await atTime(now - 4_000, () => store.pin({ ...pin, consumer: consumerOf("00") }));
    const followed = await followStore({ ...options, maxConsumers: 3 });
    const kept = () => [...followed.consumers.keys()].sort();
    expect(kept()).to.deep.equal(["00", "03", "ff"].map(consumerOf));
    expect(followed.isCut()).to.equal(true);
    await sign("01");
    await followed.refresh(true);
    expect(kept()).to.deep.equal(["00", "01", "03"].map(consumerOf));
    await followed.refresh(true);
    expect(kept()).to.deep.equal(["00", "01", "03"].map(consumerOf));
  });

  it("names the consumers that were pinned before the oldest entry of the trail", async () => {
    const { store, query, options } = await newStore(sqlite);
    await store.pin(pin);
    await store.pin({ ...pin, chainId: 10, consumer: `0x${"15".repeat(20)}` });
    await store.close();
    await query("delete from audit");
    expect([...(await followStore({ ...options, maxConsumers })).consumers.keys()]).to.deep.equal([consumer]);
  });

  it("is in trouble when its pins cannot be read for another reason", async () => {
    const { query, options } = await newStore(sqlite);
    await query("drop table pins");
    const followed = await followStore({ ...options, maxConsumers });
    expect((await rejection(followed.refresh(true))).message).to.include("no such table");
  });
});
