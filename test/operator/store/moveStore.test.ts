import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { moveStore } from "../../../packages/operator/index.ts";
import { pageSize } from "../../../packages/store/database/paging.ts";
import { alice, engines, fill, filledStore, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const tables = ["credentials", "properties", "spent_nonces", "pins", "audit", "refusals"];

type Query = (statement: string) => Promise<readonly object[]>;

/** All rows of all tables, as texts: engines differ in how they return integers. */
const contentOf = (query: Query) =>
  Promise.all(
    tables.map(async (table) => {
      const rows = (await query(`select * from ${table}`)).map((row) =>
        JSON.stringify(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]))),
      );
      return [table, rows.sort()] as const;
    }),
  );

/** The environment with which `move` opens a store. */
const environmentOf = ({ masterSecret }: { masterSecret: string }) => ({
  IDENTITY_MASTER_SECRET: masterSecret,
});

/** A stopped service's store on each engine, with more credentials than a page has. `move` leaves it as it is. */
async function fillSources() {
  const sources = new Map<string, Pick<Awaited<ReturnType<typeof newStore>>, "options" | "query">>();
  for (const [engine, createDatabase] of Object.entries(engines)) {
    const { store, ...source } = await newStore(createDatabase);
    await fill(store, pageSize + 1);
    await store.endSessions();
    await store.close();
    sources.set(engine, source);
  }
  return sources;
}

describe("identity-signer move", function () {
  this.timeout(120_000);

  let sources: Awaited<ReturnType<typeof fillSources>>;
  before(async () => {
    sources = await fillSources();
  });

  for (const [engine, createDatabase] of Object.entries(engines)) {
    describe(`to ${engine}`, () => {
      for (const from of Object.keys(engines)) {
        it(`brings every row of every table from ${from} as it is, and leaves the source`, async () => {
          const source = sources.get(from) ?? expect.fail();
          const target = await createDatabase();
          const before = await contentOf(source.query);
          // With a password, a URL is no argument: it is in a file.
          const file = join(await temporaryFolder(), "database-url");
          await writeFile(file, `${target.databaseUrl}\n`, { mode: 0o600 });
          const { code, output } = await runIdentitySigner(
            ["move", source.options.databaseUrl, file],
            environmentOf(source.options),
          );
          expect(code, output).to.equal(0);
          expect(output).to.include(
            `Moved: ${before.map(([table, rows]) => `${rows.length} in ${table}`).join(", ")}.`,
          );
          expect(await contentOf(target.query)).to.deep.equal(before);
          expect(await contentOf(source.query)).to.deep.equal(before);
        });
      }

      it("tells how many rows of all tables it has copied so far, page after page", async () => {
        const source = sources.get("SQLite") ?? expect.fail();
        const target = await createDatabase();
        const told: number[] = [];
        const counts = await moveStore(source.options, target.databaseUrl, (rows) => told.push(rows));
        expect(told.slice(0, 2)).to.deep.equal([pageSize, pageSize + 1]);
        const total = Object.values(counts).reduce((sum, rows) => sum + rows, 0);
        expect([told.toSorted((a, b) => a - b), total]).to.deep.equal([told, told.at(-1)]);
      });

      it("moves nothing when it is killed, and everything when it is run again", async () => {
        // Several pages, so that it is killed before the last.
        const source = await filledStore(engines.SQLite ?? createDatabase, 5 * pageSize);
        const target = await createDatabase();
        const args = ["move", source.options.databaseUrl, target.databaseUrl];
        const killed = spawnIdentitySigner(args, environmentOf(source.options));
        await killed.waitFor(/so far/);
        await killed.stop("SIGKILL");
        const again = await runIdentitySigner(args, environmentOf(source.options));
        expect(again.code, again.output).to.equal(0);
        expect(await contentOf(target.query)).to.deep.equal(await contentOf(source.query));
      });
    });
  }

  it("names what is wrong with its arguments, and creates no source", async () => {
    const folder = await temporaryFolder();
    const env = { IDENTITY_MASTER_SECRET: `0x${"5e".repeat(32)}` };
    const missing = `file:${join(folder, "missing.sqlite")}`;
    for (const [args, word] of [
      [["move"], "followed by two databases"],
      [["move", missing], "followed by two databases"],
      [["move", missing, "file:target.sqlite", alice], "followed by two databases"],
      [["move", missing, `file:${join(folder, "target.sqlite")}`], "There is no credential store at"],
      [["move", join(folder, "nothing"), missing], "<from> names a file that cannot be read (ENOENT)"],
      [["move", "postgres://a.example/identity", missing], "must be a URL whose sslmode says"],
    ] as const) {
      const { code, output } = await runIdentitySigner(args, env);
      expect([code, output.includes(word)], `${args.join(" ")}: ${output}`).to.deep.equal([1, true]);
    }
    for (const name of ["missing.sqlite", "target.sqlite"]) {
      expect(await readFile(join(folder, name)).catch(() => undefined)).to.equal(undefined);
    }
  });
});
