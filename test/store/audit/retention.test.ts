import { mock } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { getBytes } from "ethers";
import { listAudit, verifyAudit } from "../../../packages/operator/index.ts";
import { createSequenceSeal } from "../../../packages/store/audit/sequence.ts";
import { pageSize } from "../../../packages/store/database/paging.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { daysAgo } from "../../fixtures/passTime.ts";
import { replace } from "../../fixtures/replace.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";

const signer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`The retention of an audit trail on ${engine}`, () => {
    /** A store with a sequence that was written 401 days ago, and one of now. */
    async function fixture() {
      const opened = await newStore(createDatabase);
      const { store, options, query, open } = opened;
      await daysAgo(401, async () => {
        const former = await open();
        await former.endSessions();
        await former.close();
      });
      await store.enter({ event: "signer-used", chainId: 1, signer });
      const count = async () => Number((await query("select count(*) as n from audit"))[0]?.n);
      expect(await count()).to.equal(3);
      return { ...opened, count, verify: () => verifyAudit(options) };
    }

    /** A store with one sequence of so many rows, which were written 401 days ago. */
    async function newSequence(length: number) {
      const opened = await newStore(createDatabase);
      const { options, query } = opened;
      const [property] = await query("select value from properties where name = 'store'");
      const seal = createSequenceSeal(getBytes(options.masterSecret), JSON.parse(String(property?.value)));
      const at = Date.now() - 401 * 86_400_000;
      const writer = "ab".repeat(16);
      let previous = "";
      const values = Array.from({ length }, (_, number) => {
        const row = seal.close({ writer, number, writtenAt: at }, previous, [
          { at, event: "sessions-ended" },
        ]);
        previous = row.hash;
        return `('${writer}', ${number}, ${at}, '${row.entries}', '${row.hash}')`;
      });
      await query(`insert into audit values ${values.join()}`);
      expect((await verifyAudit(options)).problems).to.deep.equal([]);
      const count = async () => Number((await query("select count(*) as n from audit"))[0]?.n);
      return { ...opened, at, count };
    }

    it("removes entries that are too old", async () => {
      const { options, open, query, verify } = await fixture();
      const events = async () => (await readAudit(options)).map(({ event }) => event);
      expect(await events()).to.include("sessions-ended");
      for (let days = 402; days < 412; days++) {
        await daysAgo(days, async () => {
          const older = await open();
          await older.endSessions();
          await older.close();
        });
      }
      const store = await open({ audit: { retention: 400 } });
      await store.close();
      expect(await events()).to.deep.equal(["sequence-started", "sequences-seen", "signer-used"]);
      let told = 0;
      const nothing = () => undefined;
      await listAudit({ ...options, onRemoved: () => told++ }, nothing, nothing);
      expect(told, "once for each sequence").to.equal(11);
      const { problems, openSequences, removed } = await verify();
      expect(problems).to.deep.equal([]);
      // Of each, the start with what it entered, and the end.
      expect(removed?.rows).to.equal(22);
      expect(removed?.youngest).to.be.closeTo(Date.now() - 401 * 86_400_000, 60_000);
      // Of now alone: what was removed has ended.
      expect(openSequences).to.have.length(1);
      await query("update audit set number = number + 1 where entries like 'removed.%'");
      expect((await verify()).problems.join(), "as if more rows were removed").to.include("that is forged");
      await query("update audit set number = number - 1 where entries like 'removed.%'");
      await query("update audit set written_at = written_at + 1 where entries like 'removed.%'");
      expect((await verify()).problems.join()).to.include("that is forged");
      await query("delete from audit where entries like 'removed.%'");
      expect((await verify()).problems.join()).to.include("is missing: another sequence has seen it");
    });

    it("removes all of a sequence of more rows than a page has", async () => {
      const { options, query, open, count } = await newSequence(2 * pageSize + 2);
      await (await open({ audit: { retention: 400 } })).close();
      expect(await count()).to.equal(1);
      const [left] = await query("select number, entries from audit");
      expect(Number(left?.number)).to.equal(2 * pageSize + 1);
      expect(left?.entries).to.match(/^removed\./);
      expect(await verifyAudit(options)).to.deep.include({ problems: [], openSequences: [] });
    });

    /** Opens and closes the store as a service with this retention does; answers what it logged. */
    async function enforce(open: Awaited<ReturnType<typeof newStore>>["open"]) {
      const logged: string[] = [];
      const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
      await (await open({ audit: { retention: 400, logger: { info: log, error: log } } })).close();
      return logged.join("\n");
    }

    it("removes nothing by a date that somebody else wrote", async () => {
      const { store, options, query, open } = await newStore(createDatabase);
      for (let chainId = 0; chainId < 5; chainId++) {
        await store.enter({ event: "signer-used", chainId, signer });
      }
      await store.close();
      const [end] = await query("select writer, hash from audit where number = 5");
      await query("update audit set written_at = 0 where number = 5");
      const before = await query("select * from audit order by number");
      const logged = await enforce(open);
      expect(await query("select * from audit order by number")).to.deep.equal(before);
      const { problems, entries } = await verifyAudit({ ...options, heads: [String(end?.hash)] });
      expect(problems[0]).to.include(`Row 5 of sequence ${end?.writer} is not what was written there`);
      expect(problems[1]).to.equal(`No row has the hash ${end?.hash}.`);
      expect(entries).to.equal(7);
      expect(logged).to.equal("");
    });

    for (const [what, statement, left] of [
      ["an altered row", "update audit set entries = entries || 'A' where number = 3", [2, 3, 4, 5]],
      ["a row that was dated back", "update audit set written_at = 0 where number = 3", [2, 3, 4, 5]],
      [
        "a row that was dated ahead",
        "update audit set written_at = 9000000000000 where number = 3",
        [2, 3, 4, 5],
      ],
      ["a gap", "delete from audit where number = 3", [2, 4, 5]],
      ["a beginning that is missing", "delete from audit where number < 2", [2, 3, 4, 5]],
      [
        "a forged checkpoint",
        "update audit set entries = 'removed.' || hash where number = 2",
        [1, 2, 3, 4, 5],
      ],
    ] as const) {
      it(`keeps ${what}, and reports it`, async () => {
        const { options, query, open } = await newSequence(6);
        await query(statement);
        const [named] = (await verifyAudit(options)).problems;
        const logged = await enforce(open);
        const numbers = await query("select number from audit order by number");
        expect(numbers.map(({ number }) => Number(number))).to.deep.equal(left);
        expect((await verifyAudit(options)).problems).to.include(named);
        expect(logged).to.equal(JSON.stringify([{ problem: named }, "The audit trail does not hold."]));
      });
    }

    it("removes nothing while the clock is unconfirmed, reports that, and tries again in an hour", async () => {
      const { open, count } = await fixture();
      mock.timers.enable({ apis: ["setInterval"] });
      onCleanup(() => mock.timers.reset());
      const logged: unknown[] = [];
      const log = (...line: unknown[]) => void logged.push(...line);
      const logger = { info: log, error: log };
      let isRight = false;
      const confirmClock = async () => {
        if (!isRight) throw new Error("The clock is off.");
      };
      const store = await open({ audit: { retention: 400, logger }, confirmClock });
      await delay(50);
      expect(logged).to.deep.equal([
        { reason: "The clock is off." },
        "Old entries of the audit trail could not be removed; the next attempt is in an hour.",
      ]);
      isRight = true;
      mock.timers.tick(3_599_000);
      await delay(50);
      expect(await count()).to.equal(3);
      mock.timers.tick(1_000);
      await store.close();
      expect(await count()).to.equal(2);
      isRight = false;
      logged.length = 0;
      mock.timers.tick(3_600_000);
      await delay(50);
      expect(logged, "once it is closed").to.deep.equal([]);
    });

    it("removes what is older than so many days by a millisecond, and no younger one", async () => {
      const { at, open, count } = await newSequence(3);
      for (const [older, left] of [
        [0, 3],
        [1, 1],
      ] as const) {
        replace(Date, "now", () => at + 400 * 86_400_000 + older);
        await (await open({ audit: { retention: 400 } })).close();
        expect(await count()).to.equal(left);
      }
    });

    it("lets the service do everything else while it removes thousands of rows", async () => {
      const { open, count } = await newSequence(12 * pageSize);
      const store = await open({ audit: { retention: 400 } });
      const seen = new Set([await count()]);
      while (!seen.has(1)) seen.add(await count().finally(() => nextTurn()));
      await store.close();
      // Between the pages, and not only before the first and after the last.
      expect(seen.size).to.be.above(5);
    });

    it("removes no younger entry, and does nothing in an empty trail", async () => {
      const { open, count } = await fixture();
      for (const audit of [{ retention: 402 }, {}]) {
        const store = await open({ audit });
        await store.close();
        expect(await count()).to.equal(3);
      }
    });

    it("leaves a trail that holds when it is cut off in the middle, and ends it later", async () => {
      const { options, open, query, count, verify } = await fixture();
      await query("create table kept as select * from audit");
      await (await open({ audit: { retention: 400 } })).close();
      expect(await count()).to.equal(2);
      // As it is where the process ended before it removed the first row.
      await query(
        "insert into audit select * from kept where number = 0 and writer not in (select writer from audit where number = 0)",
      );
      expect(await count()).to.equal(3);
      expect((await verify()).problems).to.deep.equal([]);
      await (await open({ audit: { retention: 400 } })).close();
      expect(await count()).to.equal(2);
      expect((await readAudit(options)).some(({ event }) => event === "sessions-ended")).to.equal(false);
    });
  });
}
