import { expect } from "chai";
import { passTime } from "../../fixtures/passTime.ts";
import { type PostgresServer, startPostgres } from "../../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A service whose PostgreSQL goes away", () => {
  async function fixture() {
    const server = await startPostgres();
    const stack = await startStack({ IDENTITY_DATABASE_URL: await server.createDatabase() });
    const { wallet, address } = await stack.participate();
    const ask = async () => requestVerification(stack.url, await signedRequest(wallet, address));
    const readiness = async () => {
      passTime(1_000);
      const response = await fetch(`${stack.url}/readyz`);
      const { checks } = (await response.json()) as { checks: { store: { ok: boolean } } };
      return { status: response.status, store: checks.store.ok };
    };
    expect((await ask()).status).to.equal(200);
    expect(await readiness()).to.deep.equal({ status: 200, store: true });
    return { ...stack, server, ask, readiness };
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
});
