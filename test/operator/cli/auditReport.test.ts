import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { id, type Signer } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import type { Refusals } from "../../../packages/store/audit/refusals.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { daysAgo } from "../../fixtures/passTime.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const other = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";

type Store = Awaited<ReturnType<typeof newStore>>;

/** Enters verifications for identities by name. */
const sign = ({ store }: Pick<Store, "store">, people: readonly string[], consumer = contract) =>
  store.enter(
    ...people.map((person) => ({
      event: "verification-signed" as const,
      chainId: 84532,
      consumer,
      policyHash: id("policy") as `0x${string}`,
      identityHash: id(person) as `0x${string}`,
      expiration: 1_900_000_000,
      signer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      requestId: person,
    })),
  );

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`identity-signer audit report, of a store in ${engine}`, () => {
    /** A store whose services signed and refused on several days, all ended. */
    async function fixture() {
      const opened = await newStore(createDatabase);
      const { databaseUrl, masterSecret } = opened.options;
      const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
      const run = (...args: string[]) => runIdentitySigner(["audit", "report", ...args], env);
      const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
      const refuse = async (store: Store["store"], count: number, reason: string, consumer = contract) => {
        for (let i = 0; i < count; i++) await store.countRefusal({ chainId: 84532, consumer }, reason);
      };
      const onDay = (ago: number, act: (store: Store["store"]) => Promise<unknown>) =>
        daysAgo(ago, async () => {
          const store = await opened.open();
          await act(store);
          await store.close();
        });
      await opened.store.close();
      return { ...opened, run, day, refuse, onDay };
    }

    it("counts by day what was signed, for how many people, and what was refused and why", async () => {
      const { run, day, refuse, onDay } = await fixture();
      await onDay(3, async (store) => {
        await sign({ store }, ["alice", "alice", "bob"]);
        await sign({ store }, ["carol"], other);
        await refuse(store, 2, "conditions_not_satisfied");
        await refuse(store, 1, "needs_reauth", other);
      });
      await onDay(1, async (store) => {
        await sign({ store }, ["alice", "dave"]);
        await refuse(store, 1, "conditions_not_satisfied");
        await refuse(store, 4, "verification_not_found");
        // The node's failure is no refusal of the contract's.
        await refuse(store, 1, "chain_unavailable");
      });
      const none = {
        verification_not_found: 0,
        needs_reauth: 0,
        conditions_not_satisfied: 0,
        invalid_policy: 0,
      };
      const { code, stdout, output } = await run("--contract", contract, "--json");
      expect(code, output).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.equal({
        contract,
        chainId: 84532,
        isCut: false,
        signed: 5,
        identities: 3,
        refused: { ...none, verification_not_found: 4, conditions_not_satisfied: 3 },
        days: [
          { day: day(3), signed: 3, identities: 2, refused: { ...none, conditions_not_satisfied: 2 } },
          { day: day(2), signed: 0, identities: 0, refused: none },
          {
            day: day(1),
            signed: 2,
            identities: 2,
            refused: { ...none, verification_not_found: 4, conditions_not_satisfied: 1 },
          },
        ],
      });

      const later = await run("--contract", contract, "--since", day(1), "--csv");
      expect(later.stdout).to.equal(
        `day,signed,identities,verification_not_found,needs_reauth,conditions_not_satisfied,invalid_policy
${day(1)},2,2,4,0,1,0
`,
      );
    });

    it("adds the counts of all processes, each of which has one row for a contract, a day and a reason", async () => {
      const { open, query, refuse } = await fixture();
      const [one, two] = [await open(), await open()];
      await refuse(one, 3, "conditions_not_satisfied");
      await refuse(two, 4, "conditions_not_satisfied");
      await Promise.all([one.close(), two.close()]);
      const rows = (await query("select * from refusals")) as unknown as Refusals[];
      expect(rows.map(({ consumer, reason, count }) => [consumer, reason, Number(count)])).to.deep.equal([
        [contract, "conditions_not_satisfied", 7],
      ]);
    });

    it("keeps the counts of ten thousand contracts until it writes them, and counts on for those", async () => {
      const { open, query, refuse } = await fixture();
      const store = await open();
      for (let i = 0; i < 10_001; i++) await refuse(store, 1, "needs_reauth", `contract ${i}`);
      await refuse(store, 1, "needs_reauth", "contract 0");
      await store.close();
      const rows = await query("select consumer, count from refusals order by count desc, consumer desc");
      expect(rows).to.have.length(10_000);
      const [first, ...others] = rows.map(({ consumer, count }) => `${consumer}: ${count}`);
      expect([first, others[0]]).to.deep.equal(["contract 0: 2", "contract 9999: 1"]);
    });

    it("writes counts every five seconds, also a second time, without waiting for the end of the service", async () => {
      const { open, query, refuse } = await fixture();
      const store = await open();
      const pause = holdTimers(5_000);
      for (const total of [2, 4]) {
        await refuse(store, 2, "needs_reauth");
        pause.end();
        const count = async () => Number((await query("select count from refusals"))[0]?.count ?? 0);
        while ((await count()) < total) await nextTurn();
      }
      await store.close();
    });

    it("draws a bar for a day with one verification, too, beside one with hundreds", async () => {
      const { run, day, onDay } = await fixture();
      await onDay(1, (store) => sign({ store }, Array<string>(100).fill("alice")));
      await onDay(0, (store) => sign({ store }, ["alice"]));
      const { stdout } = await run("--contract", contract);
      expect(stdout).to.include(`${day(0)}       1       1        0  █\n`);
    });

    it("counts from a time in any zone on", async () => {
      const { run, onDay } = await fixture();
      await onDay(1, (store) => sign({ store }, ["alice"]));
      const signed = async (seconds: number) => {
        // Two hours ahead of UTC, the same moment has a later hour.
        const local = new Date(Date.now() - 86_400_000 + (seconds + 7_200) * 1_000).toISOString();
        const since = local.replace(/\.\d+Z$/, "+02:00");
        const { output, stdout } = await run("--contract", contract, "--since", since, "--json");
        return JSON.parse(stdout || output).signed;
      };
      expect([await signed(-600), await signed(600)]).to.deep.equal([1, 0]);
    });

    it("draws a bar for each day, and says in words why requests were refused", async () => {
      const { run, day, refuse, onDay } = await fixture();
      await onDay(1, async (store) => {
        await sign({ store }, ["alice", "bob", "carol", "dave"]);
        await refuse(store, 1, "conditions_not_satisfied");
        await refuse(store, 2, "needs_reauth", other);
        await refuse(store, 3, "invalid_policy", other);
        await refuse(store, 4, "verification_not_found", other);
      });
      await onDay(0, async (store) => {
        await sign({ store }, ["alice"]);
        await sign({ store }, ["erin"], other);
      });
      const { code, stdout } = await run("--contract", contract);
      expect(code).to.equal(0);
      expect(stdout).to.equal(
        `${contract} on chain 84532, by day (UTC)

            signed  people  refused
${day(1)}       4       4        1  ${"█".repeat(40)}
${day(0)}       1       1        0  ${"█".repeat(10)}
Total            5       4        1

5 verifications for 4 people.
Refused:
1 request did not meet the conditions (conditions_not_satisfied)
`,
      );
      expect((await run("--contract", other)).stdout.split("\n").slice(-6)).to.deep.equal([
        "1 verification for 1 person.",
        "Refused:",
        "4 requests had no verified account yet (verification_not_found)",
        "2 requests had to verify the account again (needs_reauth)",
        "3 requests found that the contract's policy or cutoff had changed (invalid_policy)",
        "",
      ]);
    });

    it("says so if there is nothing, names a wrong option, and what was removed or altered", async () => {
      const { run, query, onDay, open } = await fixture();
      const nothing = await run("--contract", other);
      expect(nothing.stdout).to.include("signed and refused nothing for this contract.");
      const later = await run("--contract", other, "--since", "2026-01-02");
      expect(later.stdout).to.include("signed and refused nothing for this contract since 2026-01-02.");
      for (const [args, words] of [
        [[], "--contract is missing"],
        [["--contract", "0x12"], "--contract must be"],
        [["--contract", contract, "--since", "yesterday"], "--since must be a day or a time"],
        [["--contract", contract, "--since", "2026-02-30"], "--since must be a day or a time"],
        [["--contract", contract, "--csv", "--json"], "--csv and --json exclude each other"],
      ] as const) {
        const { code, output } = await run(...args);
        expect([code, output]).to.satisfy(([, text]: [number, string]) => text.includes(words));
        expect(code).to.equal(1);
      }
      await onDay(401, (store) => sign({ store }, ["alice"]));
      await (await open({ audit: { retention: 400 } })).close();
      const cut = await run("--contract", contract);
      expect(cut.output.replace(cut.stdout, "")).to.equal(
        "Older entries were removed from the audit trail, and are not counted.\n",
      );
      await onDay(0, (store) => sign({ store }, ["bob"]));
      await query("update audit set entries = 'no entries' where entries not like 'removed%'");
      const altered = await run("--contract", contract);
      expect(altered.code).to.equal(1);
      expect(altered.output.replace(altered.stdout, "")).to.include("was altered, moved or forged");
    });
  });
}

describe("The service's refusals", () => {
  it("are counted by contract, day and reason, without a wallet, and only for contracts that have a policy", async () => {
    const { addWallet, deployConsumer, service } = await startStack();
    const consumer = await (await deployConsumer()).getAddress();
    const few = await addWallet({ traits: { followers: "3" } });
    const stranger = await addWallet({
      provider: "exchange",
      traits: { exchange_membership_active: "true" },
    });
    const ask = async (wallet: Signer, asked = consumer) =>
      (await requestVerification(service.url, await signedRequest(wallet, asked))).body.code;
    expect([await ask(few), await ask(few), await ask(stranger)]).to.deep.equal([
      "conditions_not_satisfied",
      "conditions_not_satisfied",
      "verification_not_found",
    ]);
    expect(await ask(await addWallet())).to.equal(undefined);
    // Nobody makes rows for an address without a contract.
    expect(await ask(few, few.address)).to.equal("contract_not_found");
    await service.close();

    const { databaseUrl } = service.config;
    const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: development.masterSecret };
    const { stdout, output } = await runIdentitySigner(
      ["audit", "report", "--contract", consumer, "--json"],
      env,
    );
    const { signed, identities, refused } = JSON.parse(stdout || output);
    expect({ signed, identities, refused }).to.deep.equal({
      signed: 1,
      identities: 1,
      refused: {
        verification_not_found: 1,
        needs_reauth: 0,
        conditions_not_satisfied: 2,
        invalid_policy: 0,
      },
    });
    const database = new DatabaseSync(databaseUrl.slice("file:".length));
    const rows = database.prepare("select * from refusals").all();
    database.close();
    expect(rows).to.have.length(2);
    for (const row of rows) {
      expect(Object.keys(row)).to.deep.equal(["chain_id", "consumer", "day", "reason", "count"]);
      expect(row.consumer).to.equal(consumer);
    }
  });
});
