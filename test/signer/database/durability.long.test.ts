import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { findLost, killServer, killWriter } from "../../fixtures/signer/killedWrites.ts";
import { startPostgres } from "../../fixtures/signer/postgres.ts";
import { engines } from "../../fixtures/signer/stores.ts";

/** How often; `KILLS=200 npm test -- test/signer/database/durability` does it two hundred times. */
const kills = Number(process.env.KILLS ?? 2);

describe("A credential that was acknowledged", () => {
  for (const [engine, createDatabase] of Object.entries(engines)) {
    it(`is there after the service was killed, on ${engine}`, async () => {
      const { databaseUrl } = await createDatabase();
      const options = { databaseUrl, masterSecret: hexlify(randomBytes(32)) };
      const acknowledged = [];
      for (let i = 0; i < kills; i++) acknowledged.push(...(await killWriter(options)));
      expect(acknowledged).to.have.length.at.least(kills);
      expect(await findLost(options, acknowledged)).to.deep.equal([]);
    }).timeout(60_000 + kills * 5_000);
  }

  it("is there after the database was killed", async () => {
    const server = await startPostgres();
    const options = {
      databaseUrl: await server.createDatabase(),
      masterSecret: hexlify(randomBytes(32)),
    };
    const acknowledged = [];
    for (let i = 0; i < kills; i++) acknowledged.push(...(await killServer(server, options)));
    expect(acknowledged).to.have.length.at.least(50 * kills);
    expect(await findLost(options, acknowledged)).to.deep.equal([]);
  }).timeout(60_000 + kills * 5_000);
});
