import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { moveStore } from "../../../packages/operator/index.ts";
import { pageSize } from "../../../packages/store/database/paging.ts";
import { alice, engines, fill, newStore } from "../../fixtures/signer/stores.ts";
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

/** A stopped service's store with so many credentials, and what `move` needs to open it. */
async function fixture(createDatabase: Parameters<typeof newStore>[0], count: number) {
  const { store, options, query } = await newStore(createDatabase);
  await fill(store, count);
  await store.endSessions();
  await store.close();
  return { options, query, env: { IDENTITY_MASTER_SECRET: options.masterSecret } };
}

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`identity-signer move to ${engine}`, function () {
    this.timeout(120_000);

    for (const [from, createSource] of Object.entries(engines)) {
      it(`brings every row of every table from ${from} as it is, and leaves the source`, async () => {
        const source = await fixture(createSource, pageSize + 1);
        const target = await createDatabase();
        const before = await contentOf(source.query);
        // With a password, a URL is no argument: it is in a file.
        const file = join(await temporaryFolder(), "database-url");
        await writeFile(file, `${target.databaseUrl}\n`, { mode: 0o600 });
        const { code, output } = await runIdentitySigner(
          ["move", source.options.databaseUrl, file],
          source.env,
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
      const source = await fixture(engines.SQLite ?? createDatabase, pageSize + 1);
      const target = await createDatabase();
      const told: number[] = [];
      const counts = await moveStore(source.options, target.databaseUrl, (rows) => told.push(rows));
      expect(told.slice(0, 2)).to.deep.equal([pageSize, pageSize + 1]);
      const total = Object.values(counts).reduce((sum, rows) => sum + rows, 0);
      expect([told.toSorted((a, b) => a - b), total]).to.deep.equal([told, told.at(-1)]);
    });

    it("moves nothing when it is killed, and everything when it is run again", async () => {
      const source = await fixture(engines.SQLite ?? createDatabase, 2 * pageSize);
      const target = await createDatabase();
      const args = ["move", source.options.databaseUrl, target.databaseUrl];
      const killed = spawnIdentitySigner(args, source.env);
      await killed.waitFor(/so far/);
      await killed.stop("SIGKILL");
      const again = await runIdentitySigner(args, source.env);
      expect(again.code, again.output).to.equal(0);
      expect(await contentOf(target.query)).to.deep.equal(await contentOf(source.query));
    });
  });
}

it("identity-signer move names what is wrong with its arguments, and creates no source", async () => {
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
