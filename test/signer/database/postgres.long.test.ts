import { expect } from "chai";
import { passTime } from "../../fixtures/passTime.ts";
import { type PostgresServer, startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A service whose PostgreSQL goes away", () => {
  async function fixture() {
    const server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
    const { wallet, address } = await stack.participate();
    const ask = async () => requestVerification(stack.url, await signedRequest(wallet, address));
    const readiness = async (milliseconds = 1_000) => {
      passTime(milliseconds);
      const response = await fetch(`${stack.url}/readyz`);
      const { checks } = (await response.json()) as { checks: { store: { ok: boolean } } };
      return { status: response.status, store: checks.store.ok };
    };
    expect((await ask()).status).to.equal(200);
    expect(await readiness()).to.deep.equal({ status: 200, store: true });
    return { ...stack, databaseUrl, server, ask, readiness };
  }

  const outages: Record<
    string,
    [begin: (server: PostgresServer) => unknown, end: (server: PostgresServer) => unknown]
  > = {
    "is killed": [(server) => server.kill(), (server) => server.start()],
    hangs: [(server) => server.freeze(), (server) => server.thaw()],
  };
  for (const [name, [begin, end]] of Object.entries(outages)) {
    it(`answers store_unavailable when it ${name}, signs nothing from memory, and recovers by itself`, async () => {
      const { server, ask, readiness, service } = await fixture();
      await begin(server);
      const answers = await Promise.all([ask(), ask(), ask()]);
      for (const { status, body, response } of answers) {
        expect([status, body.code]).to.deep.equal([503, "store_unavailable"]);
        expect(Number(response.headers.get("retry-after"))).to.be.greaterThan(0);
        expect(body).not.to.have.property("signature");
      }
      expect(await readiness()).to.deep.equal({ status: 503, store: false });
      expect(service.log.join("")).to.include("The credential store is unavailable.");
      await end(server);
      let last = await ask();
      for (let i = 0; i < 20 && last.status !== 200; i++) last = await ask();
      expect(last.status).to.equal(200);
      expect(await readiness()).to.deep.equal({ status: 200, store: true });
    }).timeout(60_000);
  }

  it("is not ready while no standby confirms what is written, though nobody asks for anything", async () => {
    const { databaseUrl, ask, readiness } = await fixture();
    const setStandbys = (names: string) =>
      withClient(databaseUrl, async (client) => {
        await client.query(`alter system set synchronous_standby_names = '${names}'`);
        await client.query("select pg_reload_conf()");
      });
    const untilReady = async (status: number) => {
      // The server's processes learn of it one after the other.
      for (let i = 0; i < 20; i++) {
        const found = await readiness(5_000);
        if (found.status === status) return found;
      }
      return undefined;
    };
    await setStandbys("*");
    expect(await untilReady(503)).to.deep.equal({ status: 503, store: false });
    const { status, body } = await ask();
    expect([status, body.code]).to.deep.equal([503, "store_unavailable"]);
    await setStandbys("");
    expect(await untilReady(200)).to.deep.equal({ status: 200, store: true });
    expect((await ask()).status).to.equal(200);
  }).timeout(120_000);
});
