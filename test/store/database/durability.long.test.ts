import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { findLost, killServer, killWriter } from "../../fixtures/signer/killedWrites.ts";
import { servePgBouncer } from "../../fixtures/signer/pgbouncer.ts";
import { startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { engines } from "../../fixtures/signer/stores.ts";

/** How often; `KILLS=200 npm test -- test/store/database/durability` does it two hundred times. */
const kills = Number(process.env.KILLS ?? 2);

describe("A credential that was acknowledged", () => {
  for (const [engine, createDatabase] of Object.entries(engines)) {
    it(`survives a kill of the service, on ${engine}`, async () => {
      const { databaseUrl } = await createDatabase();
      const options = { databaseUrl, masterSecret: hexlify(randomBytes(32)), chainId: 84532 };
      const acknowledged = [];
      for (let i = 0; i < kills; i++) acknowledged.push(...(await killWriter(options)));
      expect(acknowledged).to.have.length.at.least(kills);
      expect(await findLost(options, acknowledged)).to.deep.equal([]);
    }).timeout(60_000 + kills * 5_000);
  }

  it("survives a kill of the database", async () => {
    const server = await startPostgres();
    const options = {
      databaseUrl: await server.createDatabase(),
      masterSecret: hexlify(randomBytes(32)),
      chainId: 84532,
    };
    const acknowledged = [];
    for (let i = 0; i < kills; i++) acknowledged.push(...(await killServer(server, options)));
    expect(acknowledged).to.have.length.at.least(50 * kills);
    expect(await findLost(options, acknowledged)).to.deep.equal([]);
  }).timeout(60_000 + kills * 5_000);

  it("survives a kill of the database behind PgBouncer in transaction mode", async function () {
    const server = await startPostgres();
    const direct = await server.createDatabase();
    await withClient(direct, async (client) => {
      await client.query("alter role identity set statement_timeout = 2000");
      // Without others, nothing would write the log until it is full.
      await client.query("alter system set wal_writer_delay = '10s'");
      await client.query("alter system set wal_writer_flush_after = '1GB'");
      await client.query("select pg_reload_conf()");
    });
    const databaseUrl = await servePgBouncer(this, direct);
    const options = { databaseUrl, masterSecret: hexlify(randomBytes(32)), chainId: 84532 };
    const acknowledged = [];
    const ping = () => withClient(databaseUrl, (client) => client.query("select 1"));
    while (acknowledged.length < 1_000) {
      acknowledged.push(...(await killServer(server, options, 250)));
      // PgBouncer refuses for a while after it has met a server that is away.
      while (!(await ping().catch(() => false)));
    }
    expect(await findLost(options, acknowledged)).to.deep.equal([]);
  }).timeout(120_000);
});
