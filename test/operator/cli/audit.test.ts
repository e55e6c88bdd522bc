import { once } from "node:events";
import { hostname } from "node:os";
import { expect } from "chai";
import { daysAgo } from "../../fixtures/passTime.ts";
import { engines, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

const createDatabase = Object.values(engines)[0] ?? expect.fail();

async function fixture() {
  const opened = await newStore(createDatabase);
  const { databaseUrl, masterSecret } = opened.options;
  const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
  return { ...opened, verify: (...args: string[]) => runIdentitySigner(["audit", "verify", ...args], env) };
}

type Fixture = Awaited<ReturnType<typeof fixture>>;

/** A sequence of two rows, or one, that was written 401 days ago; then a service removes it. */
async function removeOld({ open }: Fixture, hasEnd = true) {
  await daysAgo(401, async () => {
    const former = await open();
    await former.endSessions();
    if (hasEnd) await former.close();
  });
  await (await open({ audit: { retention: 400 } })).close();
}

const sequence = "[0-9a-f]{32}";
const time = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z";

/** A change to a trail, the exit code, and the reported lines. */
const trails: readonly (readonly [string, (opened: Fixture) => Promise<unknown>, number, ...string[]])[] = [
  [
    "nothing was entered",
    async () => undefined,
    1,
    "There is no row: nothing was ever entered, or everything was removed\\.",
    "0 entries in 0 rows of 0 sequences: 1 problem\\.",
  ],
  [
    "a process has ended",
    async ({ store }) => {
      await store.endSessions();
      await store.close();
    },
    0,
    "4 entries in 2 rows of 1 sequence: nothing is wrong\\.",
  ],
  [
    "a process runs",
    async ({ store }) => {
      await store.endSessions();
      await store.endSessions();
    },
    0,
    `Sequence ${sequence} has no end: after its row 1 its process runs, was killed, or lost its last rows\\.`,
    "4 entries in 2 rows of 1 sequence: nothing is wrong\\.",
  ],
  [
    "two rows were too old",
    (opened) => removeOld(opened),
    0,
    `2 rows were removed as too old, the youngest of ${time}\\.`,
    "0 entries in 1 row of 1 sequence: nothing is wrong\\.",
  ],
  [
    "a row was altered",
    async ({ store, query }) => {
      await store.endSessions();
      await store.close();
      await query("update audit set written_at = written_at + 1 where number = 0");
    },
    1,
    `Row 0 of sequence ${sequence} is not what was written there.*`,
    "1 entry in 2 rows of 1 sequence: 1 problem\\.",
  ],
  [
    "one row was too old",
    (opened) => removeOld(opened, false),
    0,
    `1 row was removed as too old, the youngest of ${time}\\.`,
    "0 entries in 1 row of 1 sequence: nothing is wrong\\.",
  ],
];

describe("identity-signer audit verify", function () {
  this.timeout(60_000);

  for (const [what, happens, exit, ...lines] of trails) {
    it(`reports a trail in which ${what}, on standard output alone, and exits with ${exit}`, async () => {
      const opened = await fixture();
      await happens(opened);
      const { code, stdout, output } = await opened.verify();
      const said = stdout.trimEnd().split("\n");
      expect(said, stdout).to.have.length(lines.length);
      for (const [i, line] of lines.entries()) expect(said[i]).to.match(new RegExp(`^${line}$`));
      expect(code).to.equal(exit);
      const besides = /^(Verified 1 row so far\.\n)?Without --head[^\n]+\n$/;
      expect(output.replace(stdout, "")).to.match(besides);

      const json = await opened.verify("--json");
      expect(json.output.replace(json.stdout, "")).to.match(besides);
      const { rows, entries, sequences, problems, openSequences, heads, removed } = JSON.parse(json.stdout);
      const counts =
        /^(\d+) (?:entry|entries) in (\d+) rows? of (\d+) sequence/.exec(said.at(-1) ?? "") ?? [];
      expect([entries, rows, sequences].map(String)).to.deep.equal(counts.slice(1));
      const told = said.filter((line) => line.startsWith("Row ") || line.startsWith("There is no row"));
      expect(problems).to.deep.equal(told);
      expect(openSequences).to.have.length(said.filter((line) => line.includes("has no end")).length);
      expect([heads, json.code]).to.deep.equal([0, exit]);
      const [, number, youngest] = /^(\d+) rows? w\w+ removed.* of (.*)\.$/.exec(said[0] ?? "") ?? [];
      if (number === undefined) expect(removed).to.equal(undefined);
      else
        expect([removed.rows, new Date(removed.youngest).toISOString()]).to.deep.equal([
          Number(number),
          youngest,
        ]);
    });
  }

  it("asks for each of several --head, whatever its case, and names those that are missing", async () => {
    const { store, query, verify } = await fixture();
    await store.endSessions();
    await store.close();
    const hashes = (await query("select hash from audit order by number")).map(({ hash }) => String(hash));
    const [first = "", last = ""] = hashes;
    const both = await verify("--head", first.toUpperCase(), "--head", last);
    expect(both).to.deep.equal({
      code: 0,
      stdout: "4 entries in 2 rows of 1 sequence: nothing is wrong.\n",
      output: `${both.stdout}Verified 1 row so far.\n`,
    });
    const [one, other] = ["ab".repeat(32), "cd".repeat(32)];
    const missing = await verify("--head", one, "--head", last, "--head", other);
    expect([missing.code, missing.stdout]).to.deep.equal([
      1,
      `No row has the hash ${one}.\nNo row has the hash ${other}.\n4 entries in 2 rows of 1 sequence: 2 problems.\n`,
    ]);
    expect(JSON.parse((await verify("--json", "--head", one, "--head", last)).stdout)).to.include({
      heads: 2,
    });
  });
});

describe("identity-signer audit list", function () {
  this.timeout(60_000);

  it("ends without a word when its reader has read enough", async () => {
    const { store, options } = await fixture();
    const signer = `0x${"12".repeat(20)}`;
    await store.enter(
      ...Array.from({ length: 3_000 }, () => ({ event: "signer-used", chainId: 1, signer }) as const),
    );
    const { databaseUrl, masterSecret } = options;
    const listing = spawnIdentitySigner(["audit", "list"], {
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_MASTER_SECRET: masterSecret,
    });
    let said = "";
    listing.process.stderr?.on("data", (text) => (said += text));
    listing.process.stdout?.once("data", () => listing.process.stdout?.destroy());
    const [code] = await once(listing.process, "close");
    expect([code, said]).to.deep.equal([0, ""]);
  });

  it("leaves an altered row out, names it on standard error, and exits with 1", async () => {
    const { store, query, options } = await fixture();
    await store.endSessions();
    await store.close();
    const { databaseUrl, masterSecret } = options;
    const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
    const list = (...args: string[]) => runIdentitySigner(["audit", "list", ...args], env);
    const sound = await list();
    const lines = [
      `sequence-started  host ${hostname()}  pid ${process.pid}`,
      "sequences-seen  0 heads",
      "sessions-ended",
      "sequence-ended",
    ];
    expect(sound.output).to.match(new RegExp(`^${lines.map((line) => `${time}  ${line}\n`).join("")}$`));
    expect(sound.code).to.equal(0);
    await query(
      "update audit set entries = replace(entries, substr(entries, 40, 6), 'AAAAAA') where number = 0",
    );
    const { code, stdout, output } = await list("--json");
    expect(code).to.equal(1);
    const [entry, ...others] = stdout.trimEnd().split("\n");
    const shown = JSON.parse(entry ?? "");
    expect(shown).to.include({ event: "sequence-ended", row: 1 });
    expect(shown.time).to.match(new RegExp(`^${time}$`));
    expect(others).to.deep.equal([]);
    expect(output.replace(stdout, "")).to.match(
      new RegExp(
        `^Row 0 of sequence ${sequence} was altered, moved or forged, and is left out: verify the audit trail\\.\n$`,
      ),
    );
  });
});
