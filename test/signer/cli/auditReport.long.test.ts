import { expect } from "chai";
import { getAddress, id } from "ethers";
import { engines, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySignerProcess } from "../../fixtures/tasks/identitySigner.ts";

const verifications = 100_000;
const contracts = Array.from({ length: 50 }, (_, i) => getAddress(id(`contract ${i}`).slice(0, 42)));

/** Prints at the end of a process what it took: milliseconds of the processor, and megabytes at most. */
const measure = `data:text/javascript,
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.error("took", (userCPUTime + systemCPUTime) / 1000, maxRSS / 1000);
});`;

describe("identity-signer audit report, of 100,000 verifications of 50 contracts", function () {
  this.timeout(600_000);

  it("takes less than two seconds and 100 MB", async () => {
    const createDatabase = Object.values(engines)[0] ?? expect.fail();
    const { store, options } = await newStore(createDatabase);
    for (let from = 0; from < verifications; from += 1000) {
      // As many rows as a busy service writes: a few entries in each.
      const entries = Array.from({ length: 1000 }, (_, i) => ({
        event: "verification-signed" as const,
        chainId: 84532,
        consumer: contracts[(from + i) % contracts.length] ?? "",
        policyHash: id("policy") as `0x${string}`,
        identityHash: id(`person ${from + i}`) as `0x${string}`,
        expiration: 1_900_000_000,
        signer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        requestId: `request ${from + i}`,
      }));
      for (let i = 0; i < entries.length; i += 4) await store.enter(...entries.slice(i, i + 4));
    }
    await store.close();
    const env = { IDENTITY_DATABASE_URL: options.databaseUrl, IDENTITY_MASTER_SECRET: options.masterSecret };
    const args = ["audit", "report", "--contract", contracts[7] ?? "", "--json"];
    const { code, stdout, output } = await runIdentitySignerProcess(args, env, ["--import", measure]);
    expect(code, output).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ signed: 2000, identities: 2000 });
    const [, milliseconds, megabytes] = /^took ([\d.]+) ([\d.]+)$/m.exec(output) ?? [];
    expect(Number(milliseconds)).to.be.below(2000);
    expect(Number(megabytes)).to.be.below(100);
  });
});
