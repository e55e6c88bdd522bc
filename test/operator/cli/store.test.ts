import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import { openCredentialStore } from "../../../signer/index.ts";
import { alice, bob } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, runIdentitySignerProcess } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const masterSecret = `0x${"5e".repeat(32)}`;

/** An operator's store, and the commands that work on it. */
async function fixture() {
  const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
  const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
  const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
  const run = (...args: string[]) => runIdentitySigner(args, env);
  const set = (wallet: string, ...more: string[]) =>
    run("credential", "set", "--wallet", wallet, "--provider", "microblog", "--account-id", "1001", ...more);
  return { env, store, run, set };
}

describe("identity-signer credential", function () {
  this.timeout(60_000);

  it("stores, lists and erases, as the tasks do", async () => {
    const { store, run, set } = await fixture();
    const stored = await set(`${alice}, ${bob}`, "--traits", '{"followers":1200}', "--json");
    expect(stored.code, stored.output).to.equal(0);
    expect(JSON.parse(stored.stdout)).to.include({ provider: "microblog", erased: true });
    expect((await store.find(bob, "microblog"))?.traits).to.deep.equal({ followers: "1200" });

    const listed = await run("credential", "list", "--wallet", alice, "--json");
    const [first, ...others] = JSON.parse(listed.stdout);
    expect([listed.code, first.wallet, first.traits.followers, others]).to.deep.equal([0, alice, "1200", []]);
    const { stdout } = await run("credential", "list");
    const gaps = (line: string) => line.split(/ {2,}/);
    expect(stdout.trimEnd().split("\n").map(gaps)).to.deep.equal([
      ["Wallet", "Provider", "Verified"],
      ...[alice, bob].toSorted().flatMap((wallet) => [
        [wallet, "microblog", "just now"],
        ["", "followers 1200"],
      ]),
    ]);
    await run("credential", "delete", "--wallet", bob, "--provider", "microblog");
    // From a file no list of processes shows it.
    const file = join(await temporaryFolder(), "account.json");
    const traits = { username: "a".repeat(30), followers_count: 12 };
    const authenticatedAt = Math.floor(Date.now() / 1000) - 3 * 86_400 - 60;
    await writeFile(file, JSON.stringify({ accountId: "9", traits, authenticatedAt }));
    const ofFile = ["--wallet", bob, "--provider", "photo_social", "--from", file];
    const read = await run("credential", "set", ...ofFile);
    expect(read.code, read.output).to.equal(0);
    const ofBob = (await run("credential", "list", "--wallet", bob)).stdout.split("\n");
    expect(gaps(ofBob[1] ?? "")).to.deep.equal([bob, "photo_social", "3 days ago"]);
    expect(ofBob[2]).to.match(/^ {2}\w+ \w+ · \w+ \w+$/);

    const erased = await run("credential", "delete", "--wallet", alice, "--provider", "microblog");
    expect(erased).to.include({ code: 0, stdout: `Deleted: microblog credential of ${alice}.\n` });
    expect(await store.find(alice, "microblog")).to.equal(undefined);
    const again = await run("credential", "delete", "--wallet", alice, "--provider", "microblog");
    expect(again).to.include({ code: 1, stdout: `${alice} has no microblog credential.\n` });
    await set(alice);
    const bare = (await run("credential", "list", "--wallet", alice)).stdout
      .split("\n")
      .slice(1, 3)
      .map(gaps);
    expect(bare).to.deep.equal([
      [alice, "microblog", "just now"],
      ["", "no traits"],
    ]);
    await store.close();
  });

  it("erases what a list of the audit trail names, and nothing if the list is unreadable", async () => {
    const { store, run, set } = await fixture();
    const file = join(await temporaryFolder(), "changes.jsonl");
    await set(`${alice}, ${bob}`);
    await store.delete(alice, "microblog");
    const listed = await run("audit", "list", "--json");
    await set(alice);

    for (const [last, says] of [
      ['{"event":"credential-er', "is not an entry of `audit list --json`"],
      [`{"event":"credential-erased","wallet":"${bob}"}`, "has no wallet and provider"],
    ]) {
      await writeFile(file, `${listed.stdout}${last}`);
      const refused = await run("credential", "delete", "--from", file);
      const place = `Line ${listed.stdout.split("\n").length} of ${file}`;
      expect([refused.code, refused.output]).to.deep.equal([1, `${place} ${says}; nothing was erased.\n`]);
    }
    expect(await store.has(alice, "microblog")).to.equal(true);
    for (const beside of [
      ["--wallet", alice],
      ["--provider", "microblog"],
    ]) {
      expect((await run("credential", "delete", "--from", file, ...beside)).output).to.equal(
        "--from lists what to erase; give no --wallet and no --provider, too.\n",
      );
    }

    await writeFile(file, listed.stdout);
    const again = await run("credential", "delete", "--from", file, "--json");
    expect(again.code, again.output).to.equal(0);
    expect(JSON.parse(again.stdout)).to.deep.equal({ listed: 1, deleted: 1, erased: true });
    expect(await store.has(alice, "microblog")).to.equal(false);
    expect(await store.has(bob, "microblog")).to.equal(true);

    const replaced = { event: "credential-replaced", wallet: bob, provider: "microblog" };
    await writeFile(file, `${listed.stdout}\n${JSON.stringify(replaced)}\n`);
    const said = `Deleted: 1 credential, of 2 erasures in ${file}.\n`;
    const bobs = await run("credential", "delete", "--from", file);
    expect(bobs).to.deep.equal({ code: 0, stdout: said, output: said });
    expect(await store.has(bob, "microblog")).to.equal(false);
    await store.close();
  });

  it("creates no store for a mistyped file, and names a wrong argument", async () => {
    const path = join(await temporaryFolder(), "mistyped.sqlite");
    const env = { IDENTITY_DATABASE_URL: `file:${path}`, IDENTITY_MASTER_SECRET: masterSecret };
    const account = ["--wallet", alice, "--provider", "microblog"];
    for (const args of [
      ["credential", "set", ...account, "--account-id", "1"],
      ["credential", "list"],
      ["credential", "delete", ...account],
      ["pins", "list"],
      ["pins", "reset", "--consumer", alice],
      ["sessions", "end"],
      ["audit", "verify"],
      ["migrate", "--status"],
    ]) {
      const { code, output } = await runIdentitySigner(args, env);
      expect([code, output], args.join(" ")).to.deep.equal([
        1,
        `There is no credential store at ${path} (IDENTITY_DATABASE_URL).\n`,
      ]);
    }
    expect(existsSync(path)).to.equal(false);
    for (const [args, word] of [
      [["credential"], "identity-signer credential delete "],
      [["credential", "set", "--provider", "microblog"], "--account-id"],
      [["pins", "forget"], '"forget"'],
      [["pins", "reset"], "--consumer"],
      [["audit", "list", "--since", "yesterday"], '"yesterday"'],
      [["audit", "list", "--since", "2026-01-31T12:00:00"], '"2026-01-31T12:00:00"'],
      [["audit", "list", "--contract", "0x12"], "--contract"],
      [
        ["audit", "verify", "--head", "ab".repeat(32), "--head", "zz"],
        '--head must be 64 hex digits, got "zz".',
      ],
      [["sessions"], "end"],
      [["move", "file:a.sqlite", "postgres://db.example/identity"], "The database to move to must be"],
      [["move", "postgres://db.example/identity", "file:a.sqlite"], "The database to move from must be"],
    ] as const) {
      const { code, output } = await runIdentitySigner(args, env);
      expect([code, output.includes(word)], `${args.join(" ")}: ${output}`).to.deep.equal([1, true]);
    }
  });

  it("needs nothing of Hardhat on the machine with the master secret", async () => {
    const { env, store, set } = await fixture();
    await store.close();
    await set(alice);
    const refuse = `import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) { if (/hardhat(?!-identity)|nomicfoundation/.test(name)) throw new Error("Hardhat is not installed: " + name); return next(name, context); } });`;
    const hooks = ["--import", `data:text/javascript,${encodeURIComponent(refuse)}`];
    for (const args of [["credential", "list"], ["pins", "list"], ["--help"]]) {
      const { code, output } = await runIdentitySignerProcess(args, env, hooks);
      expect(code, output).to.equal(0);
    }
    const watching = await runIdentitySignerProcess(["watch", "--once"], env, hooks);
    expect(watching.output).to.include("IDENTITY_RPC_URL is not set");
  });
});

describe("identity-signer, of the store that a service has,", function () {
  this.timeout(60_000);

  it("says in a line what it did, on standard output alone, and exits with 0", async () => {
    const { env, store, run, set } = await fixture();
    await set(alice);
    const folder = await temporaryFolder();
    const [copy, moved, secret] = ["copy.sqlite", "moved.sqlite", "secret"].map((name) => join(folder, name));
    const epoch = await store.sessionEpoch();
    const sentence = (said: string) => ({ code: 0, stdout: said, output: said });
    expect(await run("sessions", "end")).to.deep.equal(
      sentence("All sessions of the verify page have ended. People have to sign in again.\n"),
    );
    expect(await store.sessionEpoch()).not.to.equal(epoch);
    await store.close();
    expect(await run("backup", "--to", copy ?? "")).to.deep.equal(sentence(`Backed up to ${copy}.\n`));
    const move = await run("move", env.IDENTITY_DATABASE_URL, `file:${moved}`);
    expect(move.stdout).to.match(
      /^Moved: 1 in credentials, \d+ in properties, \d+ in spent_nonces, 0 in pins, \d+ in audit, 0 in refusals\. Set IDENTITY_DATABASE_URL to the new database\.\n$/,
    );
    expect([move.code, move.output.replace(move.stdout, "")]).to.deep.equal([0, "Moved 1 row so far.\n"]);
    expect(await run("secret", "new", "--to", secret ?? "")).to.include({ code: 0 });
    const encrypted = await run("re-encrypt", "--to", secret ?? "");
    expect(encrypted.stdout).to.match(
      /^Re-encrypted 1 credential: the store's key id is \S+\. Set IDENTITY_ENCRYPTION_SECRET to this secret before you start the service\.\n$/,
    );
    const progress = "Re-encrypted 1 credential so far.\n";
    expect([encrypted.code, encrypted.output.replace(encrypted.stdout, "")]).to.deep.equal([0, progress]);
  });

  it("is identity.sqlite in the working folder where no setting names another", async () => {
    const env = { IDENTITY_MASTER_SECRET: masterSecret };
    const { code, output } = await runIdentitySigner(["credential", "list"], env);
    const named = "There is no credential store at identity.sqlite (IDENTITY_DATABASE_URL).\n";
    expect([code, output]).to.deep.equal([1, named]);
  });
});

describe("identity-signer pins", function () {
  this.timeout(60_000);

  it("lists and resets the contracts' pins", async () => {
    const { store, run } = await fixture();
    const pin = { chainId: 84532, consumer: alice, policyHash: id("policy") as `0x${string}` };
    await store.pin({ ...pin, cutoffBlock: 7n });
    const listed = await run("pins", "list", "--json");
    expect(JSON.parse(listed.stdout)[0]).to.include({ ...pin, cutoffBlock: "7" });
    await store.pin({ ...pin, chainId: 10, cutoffBlock: 8n });
    const shown = (chainId: number, cutoff: number) =>
      `${alice} on chain ${chainId}, pinned just now\n  policy ${pin.policyHash}, cutoff block ${cutoff}\n`;
    expect((await run("pins", "list")).stdout).to.equal(`${shown(10, 8)}${shown(84532, 7)}`);
    expect(await run("pins", "reset", "--consumer", bob)).to.include({
      code: 1,
      stdout: `${bob} is not held to any policy.\n`,
    });
    const reset = await run("pins", "reset", "--consumer", alice);
    expect([reset.code, reset.stdout.length], reset.output).to.deep.equal([
      0,
      `Reset. The pin was:\n${shown(10, 8)}${shown(84532, 7)}`.length,
    ]);
    for (const part of ["Reset. The pin was:\n", shown(10, 8), shown(84532, 7)])
      expect(reset.stdout).to.include(part);
    expect(await run("pins", "reset", "--consumer", alice, "--json")).to.include({
      code: 1,
      stdout: `{"consumer":"${alice}","reset":[]}\n`,
    });
    expect((await run("pins", "list")).stdout).to.equal("No pins.\n");
    await store.close();
  });
});
