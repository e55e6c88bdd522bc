import { expect } from "chai";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { startPostgres } from "../fixtures/signer/postgres.ts";
import { spawnIdentitySigner } from "../fixtures/tasks/identitySigner.ts";

describe("A service that starts while its PostgreSQL is away", function () {
  this.timeout(180_000);

  async function fixture(workers: number) {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    const start = (IDENTITY_DATABASE_URL: string) =>
      spawnIdentitySigner([], {
        IDENTITY_RPC_URL: rpcUrl,
        IDENTITY_REGISTRY: String(registry.target),
        IDENTITY_DATABASE_URL,
        IDENTITY_PORT: "0",
        IDENTITY_WORKERS: String(workers),
      });
    return { server, databaseUrl, start };
  }

  for (const workers of [1, 2]) {
    it(`is alive and not ready, and goes on when that is back, with ${workers} process(es)`, async () => {
      const { server, databaseUrl, start } = await fixture(workers);
      await server.kill();
      const service = start(databaseUrl);
      const { url, problem } = JSON.parse(await service.waitFor(/^\{.*the service waits for it.*\}$/m));
      expect(problem).to.include("IDENTITY_DATABASE_URL").and.include("cannot be reached");
      // A worker listens after it has said so.
      let health = await fetch(`${url}/healthz`).catch(() => undefined);
      while (health === undefined) health = await fetch(`${url}/healthz`).catch(() => undefined);
      expect(health.status).to.equal(200);
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).to.equal(503);
      const { status, checks } = (await ready.json()) as {
        status: string;
        checks: Record<string, { ok: boolean; detail?: string }>;
      };
      expect([status, checks.store]).to.deep.equal(["not_ready", { ok: false, detail: problem }]);
      const asked = await fetch(`${url}/v1/onchain_verifications`, { method: "POST", body: "{}" });
      expect([asked.status, asked.headers.get("retry-after")]).to.deep.equal([503, "2"]);
      expect(await asked.json()).to.include({ code: "store_unavailable" });
      expect(service.output()).not.to.include('"listening"');

      await server.start();
      await service.waitFor(/"listening"/);
      const after = await fetch(`${url}/readyz`);
      expect([after.status, await after.json()]).to.have.nested.property("[1].checks.store.ok", true);
      expect(after.status).to.equal(200);
      await service.stop("SIGTERM");
    });
  }

  it("ends, and says why, where waiting would not help", async () => {
    const { databaseUrl, start } = await fixture(1);
    const another = new URL(databaseUrl);
    another.pathname = "/nowhere";
    const service = start(another.href);
    expect(await service.ended).to.equal(1);
    expect(service.output()).to.include("no database of that name").and.not.include("waits for it");
  });
});
