import { join } from "node:path";
import { expect } from "chai";
import { getAddress, id } from "ethers";
import { npmProject } from "../../fixtures/packages/npmProject.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";

const verifications = 100_000;
const contracts = Array.from({ length: 50 }, (_, i) => getAddress(id(`contract ${i}`).slice(0, 42)));
const policyHash = id("policy") as `0x${string}`;

/** The number of verifications that a busy service writes together. */
const entriesOfRow = 10;

/** Prints at the end of a process what it took: milliseconds of the processor, and megabytes at most. */
const measure = `data:text/javascript,
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.error("took", (userCPUTime + systemCPUTime) / 1000, maxRSS / 1000);
});`;

describe("identity-signer audit report, of 100,000 verifications of 50 contracts", function () {
  this.timeout(600_000);

  it("takes less than two seconds, and 40 MB more than a report of nothing, as people install it", async () => {
    const project = await npmProject();
    await project.install("--omit=optional", "identity-signer");
    const program = join(project.folder, "node_modules/identity-signer/cli/identity-signer.js");
    const createDatabase = Object.values(engines)[0] ?? expect.fail();
    const { store, options } = await newStore(createDatabase);
    for (let from = 0; from < verifications; from += entriesOfRow) {
      const entries = Array.from({ length: entriesOfRow }, (_, i) => ({
        event: "verification-signed" as const,
        chainId: 84532,
        consumer: contracts[(from + i) % contracts.length] ?? "",
        policyHash,
        identityHash: `0x${String(from + i).padStart(64, "0")}` as const,
        expiration: 1_900_000_000,
        signer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        requestId: `request ${from + i}`,
      }));
      await store.enter(...entries);
    }
    await store.close();
    const env = { IDENTITY_DATABASE_URL: options.databaseUrl, IDENTITY_MASTER_SECRET: options.masterSecret };
    async function report(...args: string[]) {
      const command = ["audit", "report", "--contract", contracts[7] ?? "", "--json", ...args];
      const all = ["--import", measure, program, ...command];
      const { code, stdout, stderr } = await project.run(process.execPath, all, env);
      expect(code, stderr).to.equal(0);
      const [, milliseconds, megabytes] = /^took ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
      return { ...JSON.parse(stdout), milliseconds: Number(milliseconds), megabytes: Number(megabytes) };
    }
    const nothing = await report("--since", new Date(Date.now() + 86_400_000 * 2).toISOString());
    expect(nothing.signed).to.equal(0);
    const everything = await report();
    expect(everything).to.include({ signed: 2000, identities: 2000 });
    expect(everything.milliseconds).to.be.below(2000);
    expect(everything.megabytes - nothing.megabytes).to.be.below(40);
  });
});
