import { expect } from "chai";
import { verifyAudit } from "../../../packages/operator/index.ts";
import { development } from "../../../packages/protocol/development.ts";
import type { ReadinessReport } from "../../../packages/protocol/health.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { diskFull, watchWrites } from "../../fixtures/signer/disk.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { serveVerifyPage, startOwnStack, startStack } from "../../fixtures/signer/stack.ts";
import { type EmptyDatabase, engines } from "../../fixtures/signer/stores.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

/** Milliseconds after which a service that is asked whether it is ready writes something of its own. */
const writeEvery = 5_000;

/** A service that was found ready just now, and somebody who asks it for a verification. */
async function watchService(env: Record<string, string> = {}, start: typeof startStack = startStack) {
  const stack = await start(env);
  const { wallet, address } = await stack.participate();
  const body = await signedRequest(wallet, address);
  stopTime();
  /** Its readiness after so many milliseconds. */
  async function readyAfter(milliseconds: number) {
    passTime(milliseconds);
    const response = await fetch(`${stack.url}/readyz`);
    const { checks } = (await response.json()) as ReadinessReport;
    return { status: response.status, store: checks.store };
  }
  const ask = async () => (await requestVerification(stack.url, body)).body.code ?? "issued";
  expect(await readyAfter(writeEvery)).to.deep.equal({ status: 200, store: { ok: true } });
  return { ...stack, readyAfter, ask };
}

/** A {@link watchService} on PostgreSQL, as a role that may do what it is not kept from. */
async function onPostgres() {
  const { databaseUrl, query } = await (engines.PostgreSQL as () => Promise<EmptyDatabase>)();
  const url = new URL(databaseUrl);
  const role = `writer_of${url.pathname.slice(1)}`;
  await query(`create role ${role} login`);
  await query(`grant all on schema public to ${role}`);
  url.username = role;
  const service = await watchService({ IDENTITY_DATABASE_URL: url.href });
  return { ...service, query, role, databaseUrl };
}

describe("A service whose store can be read and not written", () => {
  it("is unready while it cannot write to the audit trail, even without requests", async () => {
    const { readyAfter, ask, query, role, service } = await onPostgres();
    await query(`revoke insert on audit from ${role}`);
    const { status, store } = await readyAfter(writeEvery);
    expect([status, store.ok]).to.deep.equal([503, false]);
    expect(store.detail).to.include("takes no writes").and.include("IDENTITY_DATABASE_URL");
    expect(await ask()).to.equal("store_unavailable");
    const line = service.log.find((text) => text.includes("takes no writes")) ?? "{}";
    expect(JSON.parse(line).reason).to.equal("the user may not do what has to be done (42501)");
    expect(store.detail).not.to.include("42501");

    await query(`grant insert on audit to ${role}`);
    expect(await readyAfter(1_000)).to.deep.equal({ status: 200, store: { ok: true } });
    expect(await ask()).to.equal("issued");
  });

  it("is unready while it cannot write to another table", async () => {
    const { readyAfter, query, role } = await onPostgres();
    await query(`revoke insert on spent_nonces from ${role}`);
    expect((await readyAfter(writeEvery)).status).to.equal(503);
    await query(`grant insert on spent_nonces to ${role}`);
    expect((await readyAfter(1_000)).status).to.equal(200);
  });

  it("is unready after a request could not write, until such a write succeeds again", async () => {
    const { readyAfter, ask, query, databaseUrl } = await onPostgres();
    // The disk has no room for another page of this table.
    await query(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room' using errcode = '53100'; end $$",
    );
    await query("create trigger refuses before insert on audit for each row execute function refuse()");
    expect(await ask()).to.equal("store_unavailable");
    for (const milliseconds of [1_000, 1_000, writeEvery, writeEvery]) {
      const { status, store } = await readyAfter(milliseconds);
      expect([status, store.ok]).to.deep.equal([503, false]);
    }
    await query("drop trigger refuses on audit");
    expect(await readyAfter(1_000)).to.deep.equal({ status: 200, store: { ok: true } });
    // Whether it can is not asked anew each time: every answer is a row.
    const rows = await query("select number from audit");
    expect((await readyAfter(1_000)).status).to.equal(200);
    expect(await query("select number from audit")).to.deep.equal(rows);
    const { masterSecret } = development;
    expect((await verifyAudit({ databaseUrl, masterSecret })).problems).to.deep.equal([]);
  });

  it("reports missing tables, and the command that creates them", async () => {
    const { readyAfter, query, service } = await onPostgres();
    await query("drop table properties");
    expect((await readyAfter(1_000)).status).to.equal(503);
    const line = service.log.find((text) => text.includes("takes no writes")) ?? "{}";
    expect(JSON.parse(line).reason).to.equal("its tables are missing: run identity-signer migrate (42P01)");
  });

  it("is unready while the disk is full", async () => {
    const { readyAfter } = await watchService();
    let isFull = true;
    watchWrites(() => {
      if (isFull) throw diskFull();
    });
    expect((await readyAfter(writeEvery)).status).to.equal(503);
    isFull = false;
    expect((await readyAfter(1_000)).status).to.equal(200);
  });

  it("is unready at once after any kind of write failed, until writes succeed again", async () => {
    const { readyAfter, ask } = await watchService({}, startOwnStack);
    const page = await watchService({}, serveVerifyPage);
    const visitor = new Visitor(page.url);
    await visitor.signIn();
    await visitor.prove("microblog", { action: "pick", pick: "1001" });
    const signature = await visitor.wallet.signMessage(await visitor.askMessage());
    let isFull = false;
    watchWrites(() => {
      if (isFull) throw diskFull();
    });
    const whileFull = async (act: () => Promise<unknown>, ready: typeof readyAfter) => {
      // Without a failure, the next write is tried only five seconds after this one.
      expect((await ready(writeEvery)).status).to.equal(200);
      isFull = true;
      const answer = await act();
      const { status } = await ready(1_000);
      isFull = false;
      return [answer, status, (await ready(1_000)).status];
    };
    const unavailable = ["store_unavailable", 503, 200];
    const actions: Record<string, () => Promise<unknown>> = {
      "the first request for a contract": ask,
      "keeping an account": async () => (await visitor.act("keep")).body.code,
      "deleting it": async () => (await visitor.act("erase", { provider: "microblog" })).body.code,
      "signing in": async () => (await visitor.act("link", { signature })).body.code,
    };
    for (const [what, act] of Object.entries(actions)) {
      expect(await whileFull(act, act === ask ? readyAfter : page.readyAfter), what).to.deep.equal(
        unavailable,
      );
      if (what === "keeping an account") expect((await visitor.act("keep")).status).to.equal(204);
    }
  });

  it("tries a write of its own every five seconds at most, however often it is asked", async () => {
    const { readyAfter } = await watchService();
    let writes = 0;
    watchWrites(() => writes++);
    for (let i = 0; i < 4; i++) expect((await readyAfter(1_000)).status).to.equal(200);
    expect(writes).to.equal(0);
    expect((await readyAfter(1_000)).status).to.equal(200);
    expect(writes).to.be.greaterThan(0);
  });
});
