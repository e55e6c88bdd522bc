import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes, Wallet } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import { type CredentialStore, openCredentialStore } from "../../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { read } from "../../fixtures/deploy/deployFiles.ts";
import { findLost } from "../../fixtures/signer/killedWrites.ts";
import { installed, startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { skip } from "../../fixtures/skip.ts";
import { root } from "../../fixtures/tasks/hardhat.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

/** Runs the guide's block that has a text by bash. Only places, `sudo` and `npx` are the test's. */
function runGuide(
  part: string,
  given: { folder: string; env: NodeJS.ProcessEnv; socket?: string; places?: Record<string, string> },
) {
  const { folder, env, socket, places = {} } = given;
  // Blocks within a list are indented.
  const blocks = read("docs/backup.md").matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm);
  let text = [...blocks].map(([, block = ""]) => block).find((block) => block.includes(part));
  if (text === undefined) throw new Error(`The guide has no block with ${part}.`);
  for (const [place, here] of Object.entries(places)) text = text.replace(place, here);
  const shell = `set -e -o pipefail
    sudo() { shift 2; PGHOST=${socket} PGUSER=postgres "$@"; }
    npx() { shift 2; ${process.execPath} ${join(root, "packages/operator/cli/identity-signer.ts")} "$@"; }\n`;
  const PATH = `${installed}:/usr/bin:/bin`;
  return spawnSync("bash", ["-c", shell + text], { cwd: folder, env: { ...env, PATH }, encoding: "utf8" });
}

describe("A backup that was taken while the store was written to", () => {
  it("is put in place of a store that was lost, and the service answers for what was in it", async () => {
    const { rpcUrl, registry, deployer } = await serveChainWithRegistry();
    const consumer = await deploy(deployer, "IncentiveProgram", [await registry.getAddress()]);
    const folder = await temporaryFolder();
    const [file, copy] = [join(folder, "identity.sqlite"), join(folder, "copy.sqlite")];
    const options = { databaseUrl: `file:${file}`, masterSecret: development.masterSecret, chainId: 84532 };
    const env = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_DATABASE_URL: options.databaseUrl,
      IDENTITY_MASTER_SECRET: options.masterSecret,
      IDENTITY_PORT: "0",
    };
    async function start() {
      const service = spawnIdentitySigner([], env);
      const { url } = JSON.parse(await service.waitFor(/^\{.*"listening".*\}$/m));
      const ask = async () =>
        (await requestVerification(url, await signedRequest(wallet, await consumer.getAddress()))).status;
      return { ...service, ask };
    }
    const store = await openCredentialStore(options);
    const account = { provider: "microblog", traits: { followers: "1200" } };
    async function add(address: string) {
      const authenticatedAt = Math.floor(Date.now() / 1000);
      await store.set({ ...account, wallet: address, accountId: address, authenticatedAt });
    }
    const wallet = Wallet.createRandom();
    await add(wallet.address);
    const service = await start();
    expect(await service.ask()).to.equal(200);

    let isBackedUp = false;
    const before: string[] = [];
    const written: string[] = [];
    async function write() {
      while (!isBackedUp) {
        const address = hexlify(randomBytes(20));
        await add(address);
        written.push(address);
        // SQLite answers without letting anything else have its turn.
        await setImmediate();
      }
    }
    const writing = write();
    while (written.length < 20) await setImmediate();
    before.push(...written);
    const backup = await runIdentitySigner(["backup", "--to", copy], env);
    isBackedUp = true;
    await writing;
    expect(backup.code, backup.output).to.equal(0);
    expect(written.length).to.be.greaterThan(before.length);

    await service.stop("SIGKILL");
    await store.close();
    await writeFile(file, "what a broken disk left");
    const restore = runGuide("mv --no-clobber", { folder, env });
    expect(restore.status, restore.stderr).to.equal(0);
    expect(await readFile(join(folder, "before/identity.sqlite"), "utf8")).to.equal(
      "what a broken disk left",
    );
    expect((await stat(file)).mode & 0o077).to.equal(0);

    const restored = await start();
    expect(await restored.ask()).to.equal(200);
    expect(await findLost(options, before)).to.deep.equal([]);
    await restored.stop("SIGTERM");
  }).timeout(120_000);
});

const masterSecret = hexlify(randomBytes(32));
const [alice, bob, carol] = [1, 2, 3].map(() => Wallet.createRandom().address) as [string, string, string];

async function guideFixture() {
  const server = await startPostgres(undefined, installed);
  const asAdministrator = await server.createDatabase();
  const folder = await temporaryFolder();
  const socket = new URL(asAdministrator).searchParams.get("host") ?? "";
  await withClient(asAdministrator, async (client) => {
    await client.query("create role postgres superuser login");
  });
  await withClient(asAdministrator.replace("identity@", "postgres@"), async (client) => {
    await client.query("alter role identity nosuperuser nocreatedb");
    await client.query("create database identity owner identity");
  });
  const service = join(folder, "pg_service.conf");
  await writeFile(service, `[identity]\nhost=${socket}\ndbname=identity\nuser=identity\n`);
  const databaseUrl = `postgresql://identity@localhost/identity?host=${encodeURIComponent(socket)}`;
  const options = { databaseUrl, masterSecret, chainId: 84532 };
  const env = {
    PGSERVICEFILE: service,
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_MASTER_SECRET: masterSecret,
  };
  const run = (part: string, since = "") =>
    runGuide(part, {
      folder,
      env,
      socket,
      places: { "/etc/identity-signer/pg_service.conf": service, "2026-01-31T02:00:00Z": since },
    });
  function expectRun(part: string, since?: string) {
    const { status, stdout, stderr } = run(part, since);
    expect(status, stdout + stderr).to.equal(0);
    return stdout;
  }
  async function withStore<T>(use: (store: CredentialStore) => Promise<T>): Promise<T> {
    const store = await openCredentialStore(options);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }
  const add = (store: CredentialStore, wallet: string, accountId = wallet) =>
    store.set({
      wallet,
      provider: "microblog",
      accountId,
      traits: {},
      authenticatedAt: Math.floor(Date.now() / 1000),
    });
  const present = () =>
    withStore((store) => Promise.all([alice, bob, carol].map((wallet) => store.has(wallet, "microblog"))));
  return { folder, databaseUrl, run, expectRun, withStore, add, present };
}

const parts = {
  backUp: "pg_dump --format",
  list: "> changes.jsonl",
  restore: "pg_restore --exit-on-error",
  swap: "rename to identity_before",
  erase: "credential delete --from",
  erasures: "date=-2hours",
};

describe("The guide's restore of PostgreSQL", function () {
  this.timeout(180_000);

  before(function () {
    if (!existsSync(join(installed, "initdb")))
      skip(this, "there is no PostgreSQL 15", "apt-get install postgresql-15");
  });

  it("leaves the store as it is for a dump that breaks off, and for one while a replica runs", async () => {
    const { folder, run, expectRun, withStore, add, present } = await guideFixture();
    await withStore((store) => Promise.all([add(store, alice), add(store, bob)]));
    expectRun(parts.backUp);
    const dump = join(folder, "identity.dump");
    const whole = await readFile(dump);
    for (const length of [whole.length - 40, whole.length >> 1, 100, 0]) {
      await truncate(dump, length);
      expect(run(parts.restore).status, `${length} bytes`).not.to.equal(0);
      expect(run(parts.swap).status, `${length} bytes`).not.to.equal(0);
      expect(await present()).to.deep.equal([true, true, false]);
    }
    await writeFile(dump, whole);
    expectRun(parts.restore);
    await withStore(async (store) => {
      expect(run(parts.swap).stderr).to.include("being accessed by other users");
      expect(await store.has(alice, "microblog")).to.equal(true);
    });
    expectRun(parts.swap);
    expect(await present()).to.deep.equal([true, true, false]);
  });

  it("rolls back a migration, and erases again who was erased after the backup", async () => {
    const { folder, databaseUrl, run, expectRun, withStore, add, present } = await guideFixture();
    await withStore((store) => Promise.all([add(store, alice), add(store, bob), add(store, carol)]));
    const since = new Date().toISOString();
    expectRun(parts.backUp);
    const epoch = await withStore(async (store) => {
      await store.delete(alice, "microblog");
      await add(store, bob, "another account");
      return await store.sessionEpoch();
    });
    const kept = expectRun(parts.erasures);
    expectRun(parts.list, since);
    const migrate = (client: { query(text: string): Promise<unknown> }) =>
      client.query(
        "create table later (x text); insert into kysely_migration values ('002-later', '2026-01-01T00:00:00Z')",
      );
    await withClient(databaseUrl, migrate);
    expect((await runIdentitySigner(["migrate"], { IDENTITY_DATABASE_URL: databaseUrl })).code).to.equal(1);

    expectRun(parts.restore);
    expectRun(parts.swap);
    expect(await present()).to.deep.equal([true, true, true]);
    expectRun(parts.erase);
    expect(await present()).to.deep.equal([false, false, true]);
    expect(await withStore((store) => store.sessionEpoch())).not.to.equal(epoch);
    // The upgrade can be tried again.
    await withClient(databaseUrl, migrate);
    await withClient(databaseUrl.replace("/identity?", "/identity_before?"), async (client) => {
      expect((await client.query("select 1 from credentials")).rowCount).to.equal(2);
    });

    // The copy names the same people.
    const wallets = (text: string) => text.match(/0x[0-9a-fA-F]{40}/g);
    expect(wallets(kept)).to.deep.equal([alice, bob]);
    await writeFile(join(folder, "changes.jsonl"), "{");
    expect(run(parts.erase).status).not.to.equal(0);
  });
});
