import { join } from "node:path";
import { expect } from "chai";
import { openCredentialStore } from "../../signer/index.ts";
import { readAudit } from "../fixtures/signer/audit.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const consumer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const policyHash = `0x${"ab".repeat(32)}` as const;

describe("identity pins", () => {
  it("lists what contracts are held to, and resets one", async () => {
    const env = {
      IDENTITY_DATABASE_URL: `file:${join(await temporaryFolder(), "identity.sqlite")}`,
      IDENTITY_MASTER_SECRET: `0x${"5e".repeat(32)}`,
    };
    const store = await openCredentialStore({
      databaseUrl: env.IDENTITY_DATABASE_URL,
      masterSecret: env.IDENTITY_MASTER_SECRET,
    });
    for (const chainId of [10, 84532]) {
      await store.pin({ chainId, consumer, policyHash, cutoffBlock: 2n ** 200n });
    }
    const { pinnedAt } = await store.pin({
      chainId: 10,
      consumer: `0x${"12".repeat(20)}`,
      policyHash,
      cutoffBlock: 0n,
    });
    await store.close();
    const run = async (...args: string[]) => {
      const { code, stdout } = await runHardhat(["identity", "pins", ...args], { env });
      return { code, stdout };
    };
    const listed = JSON.parse((await run("list", "--json")).stdout) as object[];
    expect(listed).to.have.length(3);
    expect(listed[0]).to.deep.equal({
      chainId: 10,
      consumer: `0x${"12".repeat(20)}`,
      policyHash,
      cutoffBlock: "0",
      pinnedAt,
    });

    const reset = await run("reset", "--consumer", consumer.toLowerCase(), "--json");
    expect(JSON.parse(reset.stdout)).to.deep.equal({ consumer, reset: listed.slice(1) });
    expect(reset.code).to.equal(0);
    const audit = await readAudit({
      databaseUrl: env.IDENTITY_DATABASE_URL,
      masterSecret: env.IDENTITY_MASTER_SECRET,
    });
    expect(audit.filter(({ event }) => event === "pin-reset")).to.have.length(2);
    const again = await run("reset", "--consumer", consumer);
    expect(again.stdout).to.include(`${consumer} is not held to any policy.`);
    expect(again.code).to.equal(1);
  });
});
