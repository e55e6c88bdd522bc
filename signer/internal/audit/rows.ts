import { type Kysely, sql } from "kysely";
import { pageSize, pagesOf } from "../database/paging.ts";
import type { Schema } from "../database/schema.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";
import type { Head } from "./auditEntry.ts";
import { type AuditRow, type ChainSeal, looksLikeCheckpoint } from "./chain.ts";

/** The table of the audit trail: each process that writes has a chain of rows of its own. */
export interface AuditRows {
  /** Writes a row. It may be done twice. */
  insert(row: AuditRow): Promise<void>;
  /** Inserts no row, as whoever may insert one can. */
  checkInserting(): Promise<void>;
  /** Of the chains that wrote last, the last row of each. */
  readNewestHeads(): Promise<Head[]>;
  /** The row, or where it is missing the one that comes next in its chain. */
  findFrom(writer: string, number: number): Promise<AuditRow | undefined>;
  count(): Promise<number>;
  /** All rows, chain by chain, each from its beginning. */
  readChains(): AsyncGenerator<AuditRow>;
  /** Rows that were written at this time (unix milliseconds) or later, in the order of time. */
  readSince(time: number): AsyncGenerator<AuditRow>;
  /** Removes what was written before a time (unix milliseconds); of each chain, a checkpoint stays. */
  removeBefore(time: number, seal: ChainSeal): Promise<void>;
}

export function openAuditRows(db: Kysely<Schema>): AuditRows {
  const rows = db.selectFrom("audit").selectAll();

  async function findFrom(writer: string, number: number): Promise<AuditRow | undefined> {
    const found = await rows
      .where("writer", "=", writer)
      .where("number", ">=", number)
      .orderBy("number")
      .limit(1)
      .executeTakeFirst();
    return found && read(found);
  }

  /** From the end to the beginning: whatever is left when it is cut off is a chain that a checkpoint may follow. */
  async function removeUpTo({ writer, number }: Head): Promise<void> {
    const first = (await findFrom(writer, 0))?.number ?? number;
    for (let end = number; end > first; end -= pageSize) {
      await db
        .deleteFrom("audit")
        .where("writer", "=", writer)
        .where("number", "<", end)
        .where("number", ">=", end - pageSize)
        .execute();
    }
  }

  /** @param behind Those that come behind a row, in their order; all where none is given. */
  async function* everyRow(behind: (after: AuditRow | undefined) => typeof rows): AsyncGenerator<AuditRow> {
    const readPage = async ({ after }: { after?: AuditRow }) =>
      (await behind(after).limit(pageSize).execute()).map(read);
    for await (const page of pagesOf(readPage)) yield* page;
  }

  return {
    async insert({ writer, number, writtenAt, entries, hash }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("audit")
        .values({ writer, number, written_at: writtenAt, entries, hash })
        .onConflict((conflict) => conflict.columns(["writer", "number"]).doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 1n) return;
      const there = await findFrom(writer, number);
      if (there?.number !== number || there.hash !== hash) {
        throw new StoreUnavailableError("another row stands where the audit trail goes on", "AUDIT");
      }
    },
    async checkInserting() {
      const columns = ["writer", "number", "written_at", "entries", "hash"] as const;
      const noRow = db.selectFrom("audit").select(columns).where(sql<boolean>`1 = 0`);
      await db.insertInto("audit").columns(columns).expression(noRow).execute();
    },
    async readNewestHeads() {
      const newest = await db
        .selectFrom("audit")
        .select(["writer", "number", "hash"])
        .orderBy("written_at", "desc")
        .orderBy("writer", "desc")
        .orderBy("number", "desc")
        .limit(pageSize)
        .execute();
      const heads = new Map<string, Head>();
      for (const row of newest) {
        const head = { ...row, number: Number(row.number) };
        if (head.number > (heads.get(head.writer)?.number ?? -1)) heads.set(head.writer, head);
      }
      return [...heads.values()];
    },
    findFrom,
    async count() {
      const counted = await db
        .selectFrom("audit")
        .select(({ fn }) => fn.countAll().as("rows"))
        .executeTakeFirstOrThrow();
      return Number(counted.rows);
    },
    readChains: () =>
      everyRow((after) => {
        const ordered = rows.orderBy("writer").orderBy("number");
        if (after === undefined) return ordered;
        return ordered.where(({ eb, refTuple, tuple }) =>
          eb(refTuple("writer", "number"), ">", tuple(after.writer, after.number)),
        );
      }),
    readSince: (time) =>
      everyRow((after) => {
        const ordered = rows.orderBy("written_at").orderBy("writer").orderBy("number");
        if (after === undefined) return ordered.where("written_at", ">=", time);
        return ordered.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple("written_at", "writer", "number"),
            ">",
            tuple(after.writtenAt, after.writer, after.number),
          ),
        );
      }),
    async removeBefore(time, seal) {
      const ended = await db
        .selectFrom("audit")
        .select(({ fn }) => ["writer", fn.max("number").as("number")])
        .where("written_at", "<", time)
        .groupBy("writer")
        .execute();
      for (const { writer, number } of ended) {
        const row = await findFrom(writer, Number(number));
        // Another process may be at it.
        if (row?.number !== Number(number)) continue;
        if (!looksLikeCheckpoint(row)) {
          await db
            .updateTable("audit")
            .set({ entries: seal.makeCheckpoint(row).entries })
            .where("writer", "=", writer)
            .where("number", "=", row.number)
            .execute();
        }
        await removeUpTo(row);
      }
    },
  };
}

const read = ({ writer, number, written_at, entries, hash }: Schema["audit"]): AuditRow => ({
  writer,
  number: Number(number),
  writtenAt: Number(written_at),
  entries,
  hash,
});
