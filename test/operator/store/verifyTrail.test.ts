import { mock } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { getBytes } from "ethers";
import { listAudit, verifyAudit } from "../../../packages/operator/index.ts";
import type { AuditEntry } from "../../../packages/store/audit/auditEntry.ts";
import { openAuditRows } from "../../../packages/store/audit/rows.ts";
import { createSequenceSeal } from "../../../packages/store/audit/sequence.ts";
import { readDatabaseLocation } from "../../../packages/store/database/databaseUrl.ts";
import { openDatabase } from "../../../packages/store/database/openDatabase.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { atTime, daysAgo } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { contentOf, readAudit } from "../../fixtures/signer/audit.ts";
import { alice, bob, engines, newStore } from "../../fixtures/signer/stores.ts";

const signer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const altered =
  " is not what was written there, or not after the row before: one of them was altered, moved or forged.";
const lacks = (rows: string) => `: before it, ${rows} missing.`;
const used = (chainId: number) => ({ event: "signer-used", chainId, signer }) as const;

/** A table of so many numbers, from 0. */
const numbers = (count: number) =>
  `(with recursive counted(n) as (select 0 union all select n + 1 from counted where n < ${count - 1}) select n from counted) as numbers`;

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`An audit trail on ${engine}`, () => {
    /** A store with a sequence of six rows: five entries, each in a row of its own, and the end. */
    async function fixture() {
      const opened = await newStore(createDatabase);
      const { store, options, query } = opened;
      for (let i = 0; i < 5; i++) await store.enter(used(i));
      await store.close();
      const [row] = await query("select distinct writer from audit");
      return { ...opened, writer: String(row?.writer), verify: () => verifyAudit(options) };
    }

    for (const [what, statement, row, says = altered] of [
      [
        "whose entry was altered",
        "update audit set entries = replace(entries, substr(entries, 40, 6), 'AAAAAA') where number = 2",
        2,
      ],
      [
        "whose entry was put in place of another",
        "update audit set entries = (select entries from audit where number = 1) where number = 3",
        3,
      ],
      ["whose time was altered", "update audit set written_at = written_at - 1 where number = 2", 2],
      ["whose hash was altered", `update audit set hash = '${"0".repeat(64)}' where number = 4`, 4],
      ["that lacks an entry in the middle", "delete from audit where number = 3", 4, lacks("row 3 is")],
      ["that lacks its beginning", "delete from audit where number < 2", 2, lacks("rows 0 to 1 are")],
      [
        "that was moved to another sequence",
        `update audit set writer = '${"0".repeat(32)}' where number = 4`,
        4,
        lacks("rows 0 to 3 are"),
      ],
      [
        "with a forged entry at its end",
        "insert into audit select writer, 6, written_at, entries, hash from audit where number = 2",
        6,
      ],
      [
        "with a forged entry in the middle",
        "insert into audit select writer, -1, written_at, entries, hash from audit where number = 2",
        -1,
      ],
      [
        "whose beginning was taken for too old",
        "update audit set entries = 'removed.' || hash where number = 3",
        3,
        " says that older rows were removed as too old; that is forged.",
      ],
    ] as const) {
      it(`does not hold, ${what}, and tells which row`, async () => {
        const { query, verify, writer } = await fixture();
        await query(statement);
        const { problems } = await verify();
        const named = statement.includes("set writer") ? "0".repeat(32) : writer;
        expect(problems[0]).to.equal(`Row ${row} of sequence ${named}${says}`);
      });
    }

    for (const [what, change] of [
      ["number", "number = 9007199254740993 where number = 5"],
      ["time", "written_at = 9223372036854775807 where number = 5"],
      ...(engine === "SQLite"
        ? ([
            ["text in place of a number", "number = 'five' where number = 5"],
            ["bytes in place of its entries", "entries = x'00ff' where number = 5"],
          ] as const)
        : []),
    ] as const) {
      it(`names a forged row with a ${what} that no row of ours has, and is read and written besides`, async () => {
        const { query, options, open, verify, writer } = await fixture();
        await query(`update audit set ${change}`);
        const { problems, entries } = await verify();
        expect(problems[0]).to.match(new RegExp(`^Row (9007199254740992|NaN|5) of sequence ${writer}\\b`));
        expect(entries).to.equal(7);
        const store = await open({ audit: { retention: 400 } });
        await store.enter(used(7));
        await store.close();
        const [listed, left]: [string[], string[]] = [[], []];
        await listAudit(
          options,
          ({ event }) => void listed.push(event),
          (problem) => void left.push(problem),
        );
        const begun = ["sequence-started", "sequences-seen"];
        const entered = [...begun, ...Array(6).fill("signer-used"), ...begun, "sequence-ended"];
        // A list does not verify a row's time.
        const own = what === "time" ? ["sequence-ended"] : [];
        expect(listed.toSorted()).to.deep.equal([...own, ...entered].toSorted());
        const problem = `of sequence ${writer} was altered, moved or forged, and is left out: verify the audit trail.`;
        expect(left.map((each) => each.replace(/^Row \w+ /, ""))).to.deep.equal(own.length ? [] : [problem]);
      });
    }

    it("does not hold when two entries have changed places", async () => {
      const { query, verify } = await fixture();
      await query("update audit set number = 1000 where number = 2");
      await query("update audit set number = 2 where number = 3");
      await query("update audit set number = 3 where number = 1000");
      const { problems } = await verify();
      expect(problems.join()).to.include("Row 2 of").and.include("Row 3 of");
    });

    it("does not hold without a sequence's end, or a whole sequence", async () => {
      const { query, verify, open, writer } = await fixture();
      const another = await open();
      await another.enter(used(1));
      await another.close();
      expect((await verify()).problems).to.deep.equal([]);
      await query(`delete from audit where writer = '${writer}' and number = 5`);
      const [lost] = (await verify()).problems;
      expect(lost).to.equal(
        `Row 5 of sequence ${writer} is missing: another sequence has seen it. It was removed, with all after it.`,
      );
      await query(`delete from audit where writer = '${writer}'`);
      expect((await verify()).problems).to.deep.equal([lost]);
    });

    it("does not hold without one of many sequences", async () => {
      const { query, options, open, store } = await newStore(createDatabase);
      const verify = () => verifyAudit(options);
      for (let i = 0; i < 2; i++) await store.enter(used(i));
      const [{ writer: decoy } = {}] = await query("select distinct writer from audit");
      await (await open()).enter(used(1));
      const [hidden] = await query(`select writer from audit where writer <> '${decoy}'`);
      await query(
        `insert into audit select writer, 1000 + n, written_at + 1000000000, entries, hash from audit, ${numbers(600)} where writer = '${decoy}' and number = 1`,
      );
      for (let i = 0; i < 9; i++) {
        const another = await open();
        await another.enter(used(1));
        await another.close();
      }
      const looker = await open();
      await looker.enter(used(1));
      await query(`delete from audit where writer = '${decoy}' and number > 1`);
      await query(`delete from audit where writer = '${hidden?.writer}'`);
      const { problems } = await verify();
      expect(problems.join("\n")).to.include(`Row 0 of sequence ${hidden?.writer} is missing`);
    });

    it("does not hold after a sequence's end was altered for a while", async () => {
      const { query, verify, open, writer } = await fixture();
      const [end] = await query("select hash from audit where number = 5");
      await query(`update audit set hash = '${"0".repeat(64)}' where number = 5`);
      const logged: string[] = [];
      const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
      const looker = await open({ audit: { logger: { info: log, error: log } } });
      await looker.enter(used(1));
      await query(`update audit set hash = '${end?.hash}' where number = 5`);
      const problem = `Row 5 of sequence ${writer}${altered}`;
      expect(logged[0]).to.equal(JSON.stringify([{ problem }, "The audit trail does not hold."]));
      const { problems, openSequences } = await verify();
      expect(problems).to.deep.equal([
        `Row 0 of sequence ${openSequences[0]?.writer} recorded a problem of another sequence: ${problem}`,
      ]);
      await query("delete from audit where number > 3");
      expect((await verify()).problems.join("\n")).to.include(`Row 4 of sequence ${writer} is missing`);
    });

    for (const [when, aheadMs, minutes] of [
      ["", 0, 11],
      [", though its clock was two hours ahead", 7_200_000, 10],
    ] as const) {
      it(`does not hold for a process that enters nothing, either, within eleven minutes${when}`, async () => {
        const { query, open, writer } = await fixture();
        mock.timers.enable({ apis: ["setInterval", "Date"], now: Date.now() });
        onCleanup(() => mock.timers.reset());
        const logged: string[] = [];
        const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
        const idle = await open({ audit: { logger: { info: () => undefined, error: log } } });
        await atTime(Date.now() + aheadMs, () => idle.enter(used(1)));
        await query(`update audit set hash = '${"0".repeat(64)}' where writer = '${writer}' and number = 5`);
        mock.timers.tick(minutes * 60_000);
        while (logged.length === 0) await delay(10);
        expect(logged.join("\n")).to.include(`Row 5 of sequence ${writer} is not what was written there`);
        await idle.close();
        // Once every ten minutes, and again with what it wrote at its end.
        expect(logged).to.have.length(2);
      });
    }

    it("notes no sequence that somebody else forged, and the problems of ten at most", async () => {
      const { query, verify, open } = await fixture();
      const made = "0".repeat(30);
      await query(
        `insert into audit select '${made}' || (10 + n), number, written_at, entries, hash from audit, ${numbers(12)} where number = 0`,
      );
      await (await open()).enter(used(1));
      await query(`delete from audit where writer like '${made}%'`);
      const { problems } = await verify();
      expect(problems).to.have.length(10);
      expect(problems.join("\n")).to.include(`Row 0 of sequence ${made}10 is not what was written there`);
      expect(problems.join("\n")).not.to.include("is missing");
    });

    it("notes the five hundred sequences that were written last", async () => {
      const { options, query, open } = await newStore(createDatabase);
      const [property] = await query("select value from properties where name = 'store'");
      const seal = createSequenceSeal(getBytes(options.masterSecret), JSON.parse(String(property?.value)));
      const rows = Array.from({ length: 501 }, (_, n) => {
        const place = { writer: String(n).padStart(32, "0"), number: 0, writtenAt: 1_000 - n };
        const { entries, hash } = seal.close(place, "", []);
        return `('${place.writer}', 0, ${place.writtenAt}, '${entries}', '${hash}')`;
      });
      await query(`insert into audit values ${rows.join()}`);
      await (await open()).enter(used(1));
      const all = await readAudit(options);
      const seen = all.flatMap((entry) => (entry.event === "sequences-seen" ? entry.heads : []));
      expect(seen.map(({ writer }) => Number(writer))).to.deep.equal(rows.slice(1).map((_, n) => n));
    });

    it("does not hold when emptied, or without the log's last row", async () => {
      const { query, options, open } = await newStore(createDatabase);
      const logged: unknown[] = [];
      const logger = { info: (...line: unknown[]) => void logged.push(line), error: () => undefined };
      const store = await open({ audit: { logger } });
      for (let i = 0; i < 3; i++) await store.enter(used(i));
      await store.close();
      const rows = await query("select writer, hash from audit order by number");
      expect(logged).to.deep.equal(
        [0, 3].map((number) => [{ ...rows[number], number }, "The audit trail's last row."]),
      );
      const heads = [rows[0]?.hash, rows[3]?.hash].map(String);
      const progress: number[] = [];
      const onProgress = (count: number) => void progress.push(count);
      const asked = { ...options, heads: heads.map((hash) => hash.toUpperCase()), onProgress };
      expect((await verifyAudit(asked)).problems).to.deep.equal([]);
      expect(progress).to.deep.equal([1, 2, 3, 4]);
      await query("delete from audit where number = 3");
      expect((await verifyAudit({ ...options, heads })).problems).to.deep.equal([
        `No row has the hash ${heads[1]}.`,
      ]);
      await query("delete from audit");
      expect(await verifyAudit(options)).to.deep.equal({
        rows: 0,
        entries: 0,
        sequences: 0,
        removed: undefined,
        openSequences: [],
        problems: ["There is no row: nothing was ever entered, or everything was removed."],
      });
    });

    it("has a sequence for each of two replicas, and what both write at the same time in few rows", async () => {
      const { options, store, open, query } = await newStore(createDatabase);
      const another = await open();
      const numbers = Array.from({ length: 400 }, (_, i) => i);
      await Promise.all(numbers.map((i) => (i % 2 ? store : another).enter(used(i))));
      const sequences = await query("select writer, count(*) as n from audit group by writer");
      expect(sequences).to.have.length(2);
      for (const { n } of sequences) expect(Number(n)).to.be.below(20);
      const { problems, entries } = await verifyAudit(options);
      expect(problems).to.deep.equal([]);
      expect(entries).to.be.at.least(402);
      const entered = (await readAudit(options)).filter(({ event }) => event === "signer-used");
      expect(entered.map(contentOf)).to.have.deep.members(numbers.map(used));
    });

    it("joins entries of several turns of the event loop in one row", async () => {
      const { store, options } = await newStore(createDatabase);
      await store.enter(used(100));
      const entered: Promise<void>[] = [];
      for (let i = 0; i < 20; i++) {
        entered.push(store.enter(used(i)));
        await nextTurn();
      }
      await Promise.all(entered);
      await store.close();
      const entries = (await readAudit(options)).filter(({ event }) => event === "signer-used");
      expect(entries.map(({ row }) => row)).to.deep.equal([0, ...entered.map(() => 1)]);
    });

    it("has five hundred entries in a row at most", async () => {
      const { options, store } = await newStore(createDatabase);
      await store.enter(...Array.from({ length: 1_200 }, (_, i) => used(i)));
      const rows = new Map<number, number>();
      for (const { row, event } of await readAudit(options)) {
        if (event === "signer-used") rows.set(row, (rows.get(row) ?? 0) + 1);
      }
      expect([...rows]).to.deep.equal([
        [0, 500],
        [1, 500],
        [2, 200],
      ]);
    });

    it("has times that never go back within a sequence, though this machine's clock does", async () => {
      const { options, store, query, open } = await newStore(createDatabase);
      const at = Date.now() + 86_400_000;
      const enterAt = (time: number) => atTime(time, () => store.enter(used(1)));
      for (const time of [at, at - 900, at + 60_000]) await enterAt(time);
      const { now } = Date;
      await store.enter(used(2));
      const rows = await query("select writer, written_at from audit order by written_at desc, number");
      const [last, first, second, ...others] = rows.map(({ written_at }) => Number(written_at));
      expect([last, first, second].map((time = 0) => Math.round((time - at) / 1_000))).to.deep.equal([
        60, 0, 0,
      ]);
      expect(second).to.be.at.least(Number(first));
      // The clock was a day ahead: the next row has the right time, in a sequence of its own.
      expect(others.map((time) => Math.abs(time - now()) < 60_000)).to.deep.equal([true]);
      expect(new Set(rows.map(({ writer }) => writer)).size).to.equal(2);
      await store.close();
      expect((await verifyAudit(options)).problems).to.deep.equal([]);
      // Also when the entries of that time are removed as too old.
      await atTime(at + 10 * 86_400_000, async () => (await open({ audit: { retention: 1 } })).close());
      expect(await verifyAudit(options)).to.deep.include({
        problems: [],
        removed: { rows: 5, youngest: last },
      });
    });

    it("notes the end of a sequence that a clock which was set back has ended, so that it cannot be cut", async () => {
      const { options, store, query } = await newStore(createDatabase);
      await atTime(Date.now() + 600_000, () => store.enter(used(1)));
      const [ahead] = await query("select writer from audit");
      await store.enter(used(2));
      await query(`delete from audit where writer = '${ahead?.writer}'`);
      expect((await verifyAudit(options)).problems.join()).to.include(
        `Row 0 of sequence ${ahead?.writer} is missing: another sequence has seen it.`,
      );
    });

    it("enters nothing after a row that somebody else wrote in its place", async () => {
      const { options, store, query } = await newStore(createDatabase);
      await store.enter(used(1));
      await query("insert into audit select writer, 1, written_at, entries, hash from audit");
      const taken = "the place of the audit trail's next row is taken (AUDIT)";
      const refused = await rejection(store.enter(used(2)));
      expect([refused.name, refused.message]).to.deep.equal(["StoreUnavailableError", taken]);
      await store.enter(used(3));
      const { problems, sequences } = await verifyAudit(options);
      expect(sequences).to.equal(2);
      expect(problems.join()).to.match(/^Row 1 of sequence [0-9a-f]{32} is not what was written there/);
      // A connection that broke may have written its row: it is written again.
      const database = await openDatabase(readDatabaseLocation(options.databaseUrl));
      onCleanup(database.close);
      const rows = openAuditRows(database);
      const [row = expect.fail()] = await rows.readFirst((await rows.readWriters().next()).value ?? "");
      await rows.insert(row);
      expect((await rejection(rows.insert({ ...row, hash: "0" }))).message).to.equal(taken);
    });

    it("is listed from one time to another, both included, and about one contract", async () => {
      const { store, options, query } = await newStore(createDatabase);
      const policyHash = `0x${"ab".repeat(32)}` as const;
      for (const [i, consumer] of [alice, bob, alice, bob].entries()) {
        const pin = { chainId: 84532, consumer, policyHash, cutoffBlock: String(i) };
        await daysAgo(4 - i, () => store.enter({ event: "pin-made", ...pin }));
      }
      const rows = await query("select written_at from audit order by number");
      const times = rows.map(({ written_at }) => Number(written_at));
      const [, second = 0, third = 0] = times;
      const list = async (asked: { since?: number; until?: number; contract?: string }) => {
        const found: string[] = [];
        const keep = (entry: AuditEntry) => void ("cutoffBlock" in entry && found.push(entry.cutoffBlock));
        await listAudit({ ...options, ...asked }, keep, expect.fail);
        return found.join("");
      };
      expect(await list({})).to.equal("0123");
      expect(await list({ since: second, until: third })).to.equal("12");
      expect(await list({ since: second + 1, until: third - 1 })).to.equal("");
      expect(await list({ contract: alice })).to.equal("02");
    });

    it("notes every ten minutes what others have written since", async () => {
      const { store, options, open, query } = await newStore(createDatabase);
      mock.timers.enable({ apis: ["Date"], now: Date.now() });
      onCleanup(() => mock.timers.reset());
      const other = await open();
      await other.enter(used(0));
      mock.timers.tick(1);
      for (const more of [true, false, false, false]) {
        await store.enter(used(1));
        if (more) await other.enter(used(2));
        mock.timers.tick(599_999);
        await store.enter(used(3));
        mock.timers.tick(1);
      }
      const seen = (await readAudit(options)).flatMap((entry) =>
        entry.event === "sequences-seen" ? [entry.heads] : [],
      );
      expect(seen.map((heads) => heads.map(({ number }) => number))).to.deep.equal([[], [0], [1], [], []]);
      // Of a sequence that was seen more than once, the newest row must be there.
      const [head] = seen[2] ?? [];
      await query(`delete from audit where writer = '${head?.writer}' and number > 0`);
      expect((await verifyAudit(options)).problems).to.deep.equal([
        `Row 1 of sequence ${head?.writer} is missing: another sequence has seen it. It was removed, with all after it.`,
      ]);
    });
  });
}
