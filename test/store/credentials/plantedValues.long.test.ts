import { readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { Wallet } from "ethers";
import { openCredentialStore } from "../../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { startProcess } from "../../fixtures/process.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { cleanEnvironment, root } from "../../fixtures/tasks/hardhat.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const program = join(root, "packages/operator/cli/identity-signer.ts");
const key = `0x${"5eed".repeat(16)}`;
const masterSecret = `0x${"c0ffee11".repeat(8)}`;
const accountId = "planted-account-2718281828";
const username = "planted_username_3141592653";
const count = "987654321012345";
const nonce = "plantedNonce16180339887";
const domain = "planted.example";
const oauthSecret = "planted-client-secret-14142";
const rpcSecret = "planted-rpc-key-17320508";
const texts = { accountId, username, count, nonce, domain, oauthSecret, rpcSecret, key, masterSecret };

/** A text in every form in which it may have got somewhere. */
function formsOf(text: string): Buffer[] {
  const bytes = /^0x/.test(text) ? Buffer.from(text.slice(2), "hex") : Buffer.from(text);
  const hex = bytes.toString("hex");
  const base64 = bytes.toString("base64url").slice(0, -3);
  const written = [hex, hex.toUpperCase(), base64, base64.replaceAll("-", "+").replaceAll("_", "/")];
  return [bytes, ...written.map((form) => Buffer.from(form))];
}

/** The names of those that can be found. */
const findPlanted = (where: string | Buffer): string[] =>
  Object.entries(texts)
    .filter(([, text]) => formsOf(text).some((form) => Buffer.from(where).includes(form)))
    .map(([name]) => name);

describe("A planted value", function () {
  this.timeout(120_000);

  it("is found in every form by this test's own search", () => {
    for (const [name, text] of Object.entries(texts)) {
      for (const form of formsOf(text)) {
        expect(findPlanted(Buffer.concat([Buffer.from("before"), form, Buffer.from("after")]))).to.include(
          name,
        );
      }
    }
  });

  for (const [engine, createDatabase] of Object.entries(engines)) {
    it(`is in no copy, log, metric or core file, with ${engine}`, async () => {
      const chain = await serveChainWithRegistry();
      const registry = await chain.registry.getAddress();
      await (await chain.registry.getFunction("addSigner")(new Wallet(key).address)).wait();
      const conditions = [{ name: "username", op: "eq", value: username }];
      const consumer = await deploy(chain.deployer, "ChosenConsumer", [registry, "photo_social", conditions]);
      const { databaseUrl, query } = await createDatabase();
      const folder = await temporaryFolder();
      await writeFile(join(folder, "key"), key, { mode: 0o600 });
      const env = cleanEnvironment({
        IDENTITY_RPC_URL: `${chain.rpcUrl}/?key=${rpcSecret}`,
        IDENTITY_REGISTRY: registry,
        IDENTITY_SIGNING_KEY_FILE: join(folder, "key"),
        IDENTITY_MASTER_SECRET: masterSecret,
        IDENTITY_DATABASE_URL: databaseUrl,
        IDENTITY_PHOTO_SOCIAL_CLIENT_ID: "client",
        IDENTITY_PHOTO_SOCIAL_CLIENT_SECRET: oauthSecret,
        IDENTITY_PORT: "0",
        IDENTITY_LOG_LEVEL: "trace",
      });
      const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
      const wallets = [Wallet.createRandom(), Wallet.createRandom(), Wallet.createRandom()] as const;
      const traits = { username, followers_count: count };
      const authenticatedAt = Math.floor(Date.now() / 1000);
      for (const { address: wallet } of wallets) {
        await store.set({ wallet, provider: "photo_social", accountId, traits, authenticatedAt });
      }
      // One is replaced, one erased.
      await store.set({
        wallet: wallets[1].address,
        provider: "photo_social",
        accountId: "2",
        traits: {},
        authenticatedAt,
      });
      await store.delete(wallets[2].address, "photo_social");
      await store.close();

      // A shell that would let a core file be written, in a folder where it would stand.
      const started = `ulimit -S -c $(ulimit -H -c) && cd ${folder} && exec ${process.execPath} ${program}`;
      const service = startProcess("/bin/sh", ["-c", started], { env });
      const [, url = ""] = /"url":"([^"]+)"/.exec(await service.waitFor(/\{.*"msg":"listening".*\}/)) ?? [];
      const address = await consumer.getAddress();
      const seen: unknown[] = [];
      for (const wallet of wallets) {
        const { status, body } = await requestVerification(
          url,
          await signedRequest(wallet, address, { nonce, domain }),
        );
        seen.push(body.code ?? status);
        if (status !== 200) expect(findPlanted(JSON.stringify(body))).to.deep.equal([]);
      }
      expect(seen).to.deep.equal([200, "conditions_not_satisfied", "verification_not_found"]);
      for (const path of ["/metrics", "/readyz", "/.well-known/onchain-verifications", "/verify/session"]) {
        expect(findPlanted(await (await fetch(url + path)).text()), path).to.deep.equal([]);
      }
      if (engine === "SQLite") {
        const copy = join(folder, "copy.sqlite");
        const { code, output } = await runIdentitySigner(["backup", "--to", copy], env);
        expect(code, output).to.equal(0);
        expect(findPlanted(readFileSync(copy))).to.deep.equal([]);
      }
      for (const command of ["list", "verify"]) {
        const { code, output } = await runIdentitySigner(["audit", command], env);
        expect(code, output).to.equal(0);
        expect(findPlanted(output), `audit ${command}`).to.deep.equal([]);
        if (command === "list")
          expect(output).to.include("verification-signed").and.include("credential-erased");
      }
      expect(await service.stop("SIGABRT")).to.equal(null);
      expect(findPlanted(service.output()), "log").to.deep.equal([]);
      expect((await readdir(folder)).filter((name) => name.startsWith("core"))).to.deep.equal([]);

      for (const [name, bytes] of await readDatabase(databaseUrl, query)) {
        expect(findPlanted(bytes), name).to.deep.equal([]);
      }
    });
  }
});

type Query = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Every file in which the database has anything, by its name. */
async function readDatabase(databaseUrl: string, query: Query): Promise<[name: string, bytes: Buffer][]> {
  if (databaseUrl.startsWith("file:")) {
    const file = databaseUrl.slice("file:".length);
    const suffixes = ["", "-wal", "-shm"];
    return suffixes.flatMap((suffix) => {
      try {
        return [[`database${suffix}`, readFileSync(file + suffix)] as [string, Buffer]];
      } catch {
        return [];
      }
    });
  }
  await query("checkpoint");
  const [place] = await query(
    "select current_setting('data_directory') as folder, (select oid from pg_database where datname = current_database()) as oid",
  );
  const folders = [`base/${place?.oid}`, "pg_wal"].map((name) => join(String(place?.folder), name));
  const files: [string, Buffer][] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isFile()) files.push([entry.name, readFileSync(join(folder, entry.name))]);
    }
  }
  expect(files).to.have.length.above(10);
  return files;
}
