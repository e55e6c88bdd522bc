import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { itemsOf, pageByKey, pageSize, pagesOf } from "../database/paging.ts";
import type { Schema } from "../database/schema.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";
import type { AuditRow } from "./sequence.ts";

export type AuditRows = ReturnType<typeof openAuditRows>;

/** The size of pages of whole rows: a row may have hundreds of entries, and 300 kB. */
const smallPage = 50;

/** Opens the table of the audit trail. Each writing process has its own sequence of rows. */
export function openAuditRows({ db, run }: Pick<Database, "db" | "run">) {
  const rows = db.selectFrom("audit").selectAll();
  // Compiled once, because compiling takes longer than the insertion.
  const insertion = db
    .insertInto("audit")
    .values({ writer: "", number: 0, written_at: 0, entries: "", hash: "" })
    .onConflict((conflict) => conflict.columns(["writer", "number"]).doNothing())
    .compile();

  /** Finds the row or, if it is missing, the next one of its sequence. */
  async function findFrom(writer: string, number: number): Promise<AuditRow | undefined> {
    const found = await rows
      .where("writer", "=", writer)
      .where("number", ">=", number)
      .orderBy("number")
      .limit(1)
      .executeTakeFirst();
    return found && read(found);
  }

  async function* everyPage(readPage: Parameters<typeof pagesOf<Stored>>[0]): AsyncGenerator<AuditRow[]> {
    for await (const page of pagesOf(readPage, smallPage)) yield page.map(read);
  }

  return {
    /** Inserts a row. Idempotent. */
    async insert({ writer, number, writtenAt, entries, hash }: AuditRow): Promise<void> {
      const parameters = [writer, number, writtenAt, entries, hash];
      const { numAffectedRows } = await run({ ...insertion, parameters });
      if (numAffectedRows === 1n) return;
      const there = await findFrom(writer, number);
      if (there?.hash !== hash) {
        throw new StoreUnavailableError("the place of the audit trail's next row is taken", "AUDIT");
      }
    },
    /** Inserts no row, but fails if the database does not allow inserting one. */
    async checkInserting(): Promise<void> {
      const columns = ["writer", "number", "written_at", "entries", "hash"] as const;
      const noRow = db.selectFrom("audit").select(columns).where(sql<boolean>`1 = 0`);
      await db.insertInto("audit").columns(columns).expression(noRow).execute();
    },
    /**
     * Reads the last two rows of each sequence of a page, or its only row: the second to last row verifies the last one.
     *
     * @param after The sequence before the page. After the last sequence, the page is empty.
     */
    async readEnds(after: string): Promise<AuditRow[]> {
      const ends = sql<Schema["audit"]>`(with recursive ${sequencesAfter(after, smallPage)}
        select audit.* from sequences join audit on audit.writer = sequences.writer
        where audit.number >= (select max(last.number) from audit as last where last.writer = sequences.writer) - 1)`;
      const found = await db
        .selectFrom(ends.as("ends"))
        .selectAll()
        .orderBy("writer")
        .orderBy("number")
        .execute();
      return found.map(read);
    },
    /** Reads a page of the last rows of a sequence, the last one first. */
    readLast: async (writer: string) =>
      (await rows.where("writer", "=", writer).orderBy("number", "desc").limit(pageSize).execute()).map(read),
    /** Reads the writers of all sequences. */
    readWriters: () =>
      itemsOf<string>(async ({ after = "" }) => {
        const writers = sql<{ writer: string }>`(with recursive ${sequencesAfter(after, pageSize)}
          select writer from sequences where writer is not null)`;
        const found = await db.selectFrom(writers.as("writers")).selectAll().orderBy("writer").execute();
        return found.map(({ writer }) => writer);
      }),
    /** Reads a page of the first rows of a sequence. */
    readFirst: async (writer: string) =>
      (await rows.where("writer", "=", writer).orderBy("number").limit(smallPage).execute()).map(read),
    findFrom,
    /** Reads pages of all rows, sequence by sequence, each from its beginning. */
    readSequences: () => everyPage(pageByKey(db, "audit", { size: smallPage })),
    /** Reads pages of the rows that were written at this time (unix milliseconds) or later, in order of time. */
    readSince(time: number) {
      const readPage = pageByKey(db, "audit", {
        key: ["written_at", "writer", "number"],
        size: smallPage,
      });
      // From before the first row of that time: a condition for it would keep SQLite from finding the next page by index.
      return everyPage(({ after = { written_at: time, writer: "", number: 0 } }) => readPage({ after }));
    },
    /** Replaces a row with its checkpoint, if the row still exists, and removes the rows before it from the sequence. */
    async removeUpTo({ writer, number, entries }: AuditRow): Promise<void> {
      await db
        .updateTable("audit")
        .set({ entries })
        .where("writer", "=", writer)
        .where("number", "=", number)
        .execute();
      await db.deleteFrom("audit").where("writer", "=", writer).where("number", "<", number).execute();
    },
  };
}

/** Selects the writers of the next sequences after one by the index: a scan of all rows would take seconds. */
const sequencesAfter = (after: string, count: number) => sql`sequences (writer, place) as (
  select min(writer), 1 from audit where writer > ${after}
  union all
  select (select min(audit.writer) from audit where audit.writer > sequences.writer), place + 1
  from sequences where sequences.writer is not null and place < ${count}
)`;

type Stored = Schema["audit"];

/**
 * Reads a row, which anybody with access to the database may have written: SQLite takes any value in any column. A value
 * that no row of ours has becomes one that is not authentic.
 */
const read = ({ writer, number, written_at, entries, hash }: Stored): AuditRow => ({
  writer: String(writer),
  number: Number(number),
  writtenAt: Number(written_at),
  entries: String(entries),
  hash: String(hash),
});
