import { Agent } from "node:http";
import { join } from "node:path";
import { expect } from "chai";
import { askService, measureOutage } from "../../bench/checks/attempts.ts";
import { createWrites } from "../../bench/checks/writes.ts";
import { development } from "../../packages/protocol/development.ts";
import { type CredentialStore, everyCredential, openCredentialStore } from "../../signer/index.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { rejection } from "../fixtures/rejection.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The writes while a database fails", () => {
  async function fixture(set?: CredentialStore["set"]) {
    const databaseUrl = `file:${join(await temporaryFolder(), "store.sqlite")}`;
    const { masterSecret } = development;
    const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
    onCleanup(() => store.close());
    const writes = createWrites(Object.assign(Object.create(store), set && { set }), masterSecret);
    return { store, writes, next: writes.startWriter() };
  }

  it("are lost if the store has another account than the acknowledged one, or none", async () => {
    const { store, writes, next } = await fixture();
    for (let i = 0; i < 20; i++) await next();
    expect(writes.count()).to.equal(20);
    expect(await writes.findLost()).to.deep.equal([]);
    const stored: { wallet: string; provider: string }[] = [];
    for await (const credential of everyCredential(store)) stored.push(credential);
    const [one, other] = stored;
    if (one === undefined || other === undefined) expect.fail("Nothing is stored.");
    await store.delete(one.wallet, one.provider);
    const { wallet, provider } = other;
    await store.set({
      wallet,
      provider,
      accountId: "another",
      traits: { followers: "1200" },
      authenticatedAt: 1,
    });
    expect(await writes.findLost()).to.have.members([one.wallet, other.wallet]);
  });

  it("are not lost if the store never acknowledged them, whether it has them or not", async () => {
    for (const isKept of [true, false]) {
      const { writes, next } = await fixture(async function (this: CredentialStore, credential) {
        if (isKept) await Object.getPrototypeOf(this).set(credential);
        throw new Error("The connection was closed.");
      });
      expect((await rejection(next())).message).to.equal("The connection was closed.");
      expect(writes.count()).to.equal(0);
      expect(await writes.findLost()).to.deep.equal([]);
    }
  });
});

describe("A request to a proxy", () => {
  it("is sent again if its connection, which was idle, ends without an answer, and on no new connection", async () => {
    let requests = 0;
    const { url } = await serveHttp((request, response) => {
      request.resume();
      if (++requests === 1 || requests === 3) response.end("answered");
      else request.socket.destroy();
    });
    const agent = new Agent({ keepAlive: true });
    onCleanup(() => agent.destroy());
    const ask = async () => (await askService(url, "{}", agent)).body;
    expect(await ask()).to.equal("answered");
    expect(await ask()).to.equal("answered");
    expect(requests).to.equal(3);
    expect((await askService(url, "{}", new Agent())).status).to.equal(0);
    expect(requests).to.equal(4);
  });
});

describe("How long something was away", () => {
  const tried = (sent: number, done: number, isGood: boolean) => ({
    sent,
    done,
    result: { kind: isGood ? ("done" as const) : ("away" as const) },
  });

  it("ends an outage with what was begun after the last that failed", () => {
    const tries = [tried(0, 5, true), tried(8, 12, false), tried(9, 14, true), tried(15, 30, false)];
    expect(measureOutage(tries, 10)).to.equal(undefined);
    expect(measureOutage([...tries, tried(16, 25, true), tried(17, 22, true)], 10)).to.equal(12);
    expect(measureOutage([tried(0, 5, false), tried(11, 12, true)], 10)).to.equal(0);
  });
});
