import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import pg from "pg";
import { replace } from "../../fixtures/replace.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { alice, credential, engines, newStore } from "../../fixtures/signer/stores.ts";

/** How a look-up descends the index by wallet and provider, and reads nothing else, in the words of each engine. */
const descent: Readonly<Record<string, RegExp>> = {
  SQLite: /^SEARCH credentials USING INDEX \S+ \(wallet=\? AND provider=\?\)$/,
  PostgreSQL:
    /^Index Scan using credentials_pk on credentials\n +Index Cond: \(\(wallet = '.*'::text\) AND \(provider = '.*'::text\)\)$/,
};

/** Collects the statements that the drivers are given, until the test ends. */
function watchStatements(): string[] {
  const statements: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  replace(DatabaseSync.prototype, "prepare", function (this: DatabaseSync, statement) {
    statements.push(statement);
    return prepare.call(this, statement);
  });
  const query: (...given: unknown[]) => unknown = pg.Client.prototype.query;
  const watched = function (this: pg.Client, ...given: unknown[]) {
    statements.push(String(Object(given[0]).text ?? given[0]));
    return query.apply(this, given);
  };
  replace(pg.Client.prototype, "query", watched as pg.Client["query"]);
  return statements;
}

/** Asks an engine how it runs a statement about Alice's credential. */
const explain: Readonly<Record<string, (databaseUrl: string, statement: string) => Promise<string>>> = {
  async SQLite(databaseUrl, statement) {
    const database = new DatabaseSync(databaseUrl.slice("file:".length));
    const plan = database.prepare(`explain query plan ${statement}`).all();
    database.close();
    return plan.map(({ detail }) => detail).join("\n");
  },
  PostgreSQL: (databaseUrl, statement) =>
    withClient(databaseUrl, async (client) => {
      // It would read a table of one row as a whole.
      await client.query("set enable_seqscan = off");
      const about = statement.replace("$1", `'${alice}'`).replace("$2", "'microblog'");
      const { rows } = await client.query(`explain (costs off) ${about}`);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    }),
};

describe("A look-up of a credential", () => {
  for (const [engine, createDatabase] of Object.entries(engines)) {
    it(`uses one index on ${engine}, so the number of credentials does not matter`, async () => {
      const statements = watchStatements();
      const { store, options } = await newStore(createDatabase);
      await store.set(credential);
      for (let i = 0; i < 3; i++) expect(await store.find(alice, "microblog")).not.to.equal(undefined);
      const given = statements.filter((each) => each.startsWith('select "sealed"'));
      if (engine === "SQLite") expect(given, "prepared once").to.have.length(1);
      const [statement = "", ...others] = new Set(given);
      expect(others).to.deep.equal([]);
      expect(await explain[engine]?.(options.databaseUrl, statement)).to.match(descent[engine] as RegExp);
    });
  }
});
