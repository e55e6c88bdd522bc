import { mock } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { sql } from "kysely";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { deriveKey } from "../../../packages/protocol/keys.ts";
import { pseudonym } from "../../../packages/protocol/protocolHashes.ts";
import { readDatabaseLocation } from "../../../packages/store/database/databaseUrl.ts";
import { openDatabase } from "../../../packages/store/database/openDatabase.ts";
import { pageSize } from "../../../packages/store/database/paging.ts";
import { everyCredential, openCredentialStore } from "../../../signer/index.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { account, alice, bob, credential, engines, fill, newStore } from "../../fixtures/signer/stores.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`The credential store on ${engine}`, () => {
    const fixture = () => newStore(createDatabase);

    it("finds what was set, with the account as its pseudonym", async () => {
      const { store, options } = await fixture();
      await store.set(credential);
      const accountKey = deriveKey(Buffer.from(options.masterSecret.slice(2), "hex"), "account");
      expect(await store.find(alice, "microblog")).to.deep.equal({
        pseudonym: pseudonym({ accountKey, provider: "microblog", accountId: account }),
        traits: credential.traits,
        authenticatedAt: 1_760_000_000,
      });
      expect((await store.find(alice.toLowerCase(), "microblog"))?.traits).to.deep.equal(credential.traits);
      expect(await store.find(bob, "microblog")).to.equal(undefined);
      expect(await store.find(alice, "exchange")).to.equal(undefined);
      const mistyped = await rejection(store.find(alice.replace("f39F", "F39F"), "microblog"));
      expect(mistyped).to.be.instanceOf(InvalidInputError);
    });

    it("replaces the credential that a wallet has at a provider", async () => {
      const { store } = await fixture();
      await store.set(credential);
      const before = await store.find(alice, "microblog");
      await store.set({ ...credential, wallet: alice.toLowerCase(), accountId: "other", traits: {} });
      const after = await store.find(alice, "microblog");
      expect(after?.traits).to.deep.equal({});
      expect(after?.pseudonym).not.to.equal(before?.pseudonym);
      expect(await store.list()).to.have.length(1);
    });

    it("tells whether a wallet has another account at a provider, and not which", async () => {
      const { store } = await fixture();
      expect(await store.hasOtherAccount(alice, "microblog", account)).to.equal(false);
      await store.set(credential);
      expect(await store.hasOtherAccount(alice, "microblog", account)).to.equal(false);
      expect(await store.hasOtherAccount(alice.toLowerCase(), "microblog", "other")).to.equal(true);
      expect(await store.hasOtherAccount(bob, "microblog", "other")).to.equal(false);
      expect(await store.hasOtherAccount(alice, "exchange", "other")).to.equal(false);
    });

    it("knows which signers were on a registry's allowlist, of each registry for itself", async () => {
      const { store } = await fixture();
      await store.noteAllowed(alice, bob);
      await store.noteAllowed(alice, bob);
      for (const [registry, signer, was] of [
        [alice, bob, true],
        [alice.toLowerCase(), bob.toLowerCase(), true],
        [bob, bob, false],
        [alice, alice, false],
      ] as const) {
        expect(await store.wasAllowed(registry, signer), `${registry} ${signer}`).to.equal(was);
      }
    });

    it("lists all credentials, or those of one wallet, in the order of their bytes", async () => {
      const { store } = await fixture();
      // No language has them in this order.
      const [upper, lower] = [`0xB${"3".repeat(39)}`, `0xa${"3".repeat(39)}`];
      await store.set(credential);
      await store.set({ ...credential, wallet: bob });
      await store.set({ ...credential, wallet: lower });
      await store.set({ ...credential, wallet: upper });
      await store.set({ ...credential, provider: "photo_social", traits: { username: "alice" } });
      const names = (list: { wallet: string; provider: string }[]) =>
        list.map(({ wallet, provider }) => `${wallet} ${provider}`);
      expect(names(await store.list())).to.deep.equal([
        `${bob} microblog`,
        `${upper} microblog`,
        `${lower} microblog`,
        `${alice} microblog`,
        `${alice} photo_social`,
      ]);
      expect(names(await store.list({ wallet: bob }))).to.deep.equal([`${bob} microblog`]);
    });

    it("lists a page at a time, and goes on behind any credential, whether or not it is there still", async () => {
      const { store } = await fixture();
      await fill(store, pageSize + 2);
      const first = await store.list();
      expect(first).to.have.length(pageSize);
      const after = first.at(-1);
      if (after === undefined) throw new Error("nothing");
      await store.delete(after.wallet, after.provider);
      const rest = await store.list({ after });
      expect(rest).to.have.length(2);
      const all = [];
      for await (const each of everyCredential(store)) all.push(each);
      expect(all).to.deep.equal([...first.slice(0, -1), ...rest]);
    });

    it("uses a nonce up once, for all who ask at the same time, and forgets it when it has ended", async () => {
      const { store: first, open, query } = await fixture();
      await first.close();
      // Each opening forgets what has ended, later and every hour, unless the clock may be wrong.
      const confirmClock = async () => {
        throw new Error("The clock is off.");
      };
      mock.timers.enable({ apis: ["setInterval"] });
      onCleanup(() => mock.timers.reset());
      const [store, another] = [await open({ confirmClock }), await open({ confirmClock })];
      const now = Math.floor(Date.now() / 1000);
      expect(await store.spendNonce("ended", now - 10)).to.equal(true);
      const answers = await Promise.all(
        // By its name it is before those that have ended.
        [store, another, store, another].map((each) => each.spendNonce("a later one", now + 600)),
      );
      expect(answers.filter(Boolean)).to.have.length(1);
      const kept = async () => (await query("select nonce from spent_nonces")).map(({ nonce }) => nonce);
      mock.timers.tick(3_600_000);
      await another.close();
      expect(await kept()).to.have.members(["ended", "a later one"]);
      const last = await open();
      while ((await kept()).length > 1) await nextTurn();
      expect(await last.spendNonce("ended later", now - 10)).to.equal(true);
      mock.timers.tick(3_600_000);
      await last.close();
      expect(await kept()).to.deep.equal(["a later one"]);
    });

    it("forgets all nonces that have ended, also of more than one page", async () => {
      const { store, open, query } = await fixture();
      const ended = Array.from({ length: 2 * pageSize + 1 }, (_, i) => `('nonce ${i}', 1)`);
      await query(`insert into spent_nonces values ${ended.join()}`);
      await store.close();
      const next = await open();
      const kept = async () => Number((await query("select count(*) as n from spent_nonces"))[0]?.n);
      for (let tries = 0; tries < 500 && (await kept()) > 0; tries++) await delay(10);
      expect(await kept()).to.equal(0);
      await next.close();
    });

    it("keeps the first pin of a contract that is asked about in several replicas at once", async () => {
      const { store, open } = await fixture();
      const another = await open();
      const consumer = `0x${"12".repeat(20)}`;
      const asked = (digit: string, chainId = 84532) => ({
        chainId,
        consumer,
        policyHash: `0x${digit.repeat(64)}` as const,
        cutoffBlock: 2n ** 256n - 2n,
      });
      const pins = await Promise.all([store.pin(asked("1")), another.pin(asked("2")), store.pin(asked("3"))]);
      expect(new Set(pins.map(({ policyHash }) => policyHash)).size).to.equal(1);
      const [pin] = pins;
      if (pin === undefined) throw new Error("no pin");
      const raised = { cutoffBlock: 2n ** 256n - 1n, cutoffRises: 1, risesSince: 1_760_000_000 };
      const raises = await Promise.all([store.raiseCutoff(pin, raised), another.raiseCutoff(pin, raised)]);
      expect(raises.toSorted()).to.deep.equal([false, true]);

      await another.pin(asked("4", 1));
      const [first, second] = await store.listPins();
      expect([first?.chainId, second]).to.deep.equal([1, { ...pin, ...raised }]);
      expect(await another.resetPins(consumer)).to.have.length(2);
      expect(await store.listPins()).to.deep.equal([]);
      expect((await store.pin(asked("5"))).policyHash).to.equal(asked("5").policyHash);
    });

    it("raises no cutoff of a policy that a contract is held to since", async () => {
      const { store } = await fixture();
      const consumer = `0x${"12".repeat(20)}`;
      const asked = { chainId: 84532, consumer, policyHash: `0x${"1".repeat(64)}`, cutoffBlock: 5n } as const;
      const former = await store.pin(asked);
      await store.resetPins(consumer);
      const pin = await store.pin({ ...asked, policyHash: `0x${"2".repeat(64)}` });
      const raised = { cutoffBlock: 6n, cutoffRises: 1, risesSince: 1_760_000_000 };
      expect(await store.raiseCutoff(former, raised)).to.equal(false);
      expect(await store.listPins()).to.deep.equal([pin]);
    });

    it("leaves nothing of a change of its schema that fails midway", async () => {
      const { store, options, query } = await fixture();
      await store.set(credential);
      const database = await openDatabase(readDatabaseLocation(options.databaseUrl));
      onCleanup(() => database.close());
      const failed = database.transact(async (db) => {
        await sql`create table half (one text)`.execute(db);
        await db.deleteFrom("credentials").execute();
        throw new Error("midway");
      });
      expect((await rejection(failed)).message).to.equal("midway");
      expect(await query("select wallet from credentials")).to.have.length(1);
      await rejection(query("select * from half"));
      await store.set({ ...credential, wallet: bob });
    });

    for (const [column, value] of [
      ["wallet", bob],
      ["provider", "exchange"],
      ["sealed", "v1-00000000.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"],
    ] as const) {
      it(`opens no credential whose ${column} was changed`, async () => {
        const { store, query } = await fixture();
        await store.set(credential);
        await query(`update credentials set ${column} = '${value}'`);
        const [wallet, provider] = [
          column === "wallet" ? bob : alice,
          column === "provider" ? "exchange" : "microblog",
        ];
        await rejection(store.find(wallet, provider));
      });
    }

    it("opens a sealed credential in no other spelling", async () => {
      const { store, query } = await fixture();
      await store.set(credential);
      const [row] = await query("select sealed from credentials");
      const sealed = String(row?.sealed);
      const [format = "", nonce = "", text = "", tag = ""] = sealed.split(".");
      const standard = (part: string) => part.replaceAll("-", "+").replaceAll("_", "/");
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      // 16 bytes leave the last letter's lower four bits unused.
      const unusedBits = tag.slice(0, -1) + letters[letters.indexOf(tag.slice(-1)) + 1];
      for (const [what, changed] of [
        ["a fifth part", `${sealed}.`],
        ["a fifth part with text", `${sealed}.AAAA`],
        ["padding after the nonce", `${format}.${nonce}=.${text}.${tag}`],
        ["padding at the end", `${sealed}==`],
        ["a space inside", `${format}.${nonce}.${text.slice(0, 9)} ${text.slice(9)}.${tag}`],
        ["a line break at the end", `${sealed}\n`],
        ["the letters of plain base64", [format, nonce, text, tag].map(standard).join(".")],
        ["a letter of no alphabet", `${format}.${nonce}!.${text}.${tag}`],
        ["unused bits that are set", `${format}.${nonce}.${text}.${unusedBits}`],
        ["another format", `${format.toUpperCase()}.${nonce}.${text}.${tag}`],
        ["a shorter tag", `${format}.${nonce}.${text}.${tag.slice(0, 16)}`],
        ["no tag", `${format}.${nonce}.${text}`],
      ] as const) {
        expect(changed, what).not.to.equal(sealed);
        await query(`update credentials set sealed = '${changed}'`);
        expect((await rejection(store.list())).message, what).to.include("cannot be opened: it was altered");
        await rejection(store.find(alice, "microblog"));
      }
      await query(`update credentials set sealed = '${sealed}'`);
      expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
    });

    it("refuses a credential that it could not use, and names what is wrong", async () => {
      const { store } = await fixture();
      const bad = [
        [{ wallet: "0x12" }, 'The wallet must be an address (0x and 40 hex digits), got "0x12".'],
        [
          { wallet: alice.replace("f39F", "F39F") },
          "The wallet has a wrong EIP-55 checksum: 0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266. Copy the address again.",
        ],
        [
          { provider: "nobody" },
          'Unknown provider "nobody"; known are microblog, exchange, photo_social, short_video.',
        ],
        ...["", "\ud800", "a\udc00b"].map(
          (accountId) => [{ accountId }, "The account id must be a text of at least one character."] as const,
        ),
        [
          { traits: { height: "180" } },
          'Provider microblog has no trait "height"; it has followers, verified, verified_type.',
        ],
        ...[1.5, -1, 2 ** 53, Number.NaN, 1_760_000_000_000].map(
          (authenticatedAt) =>
            [
              { authenticatedAt },
              `The time of authentication must be whole unix seconds, got ${authenticatedAt}.`,
            ] as const,
        ),
      ] as const;
      for (const [change, message] of bad) {
        const error = await rejection(store.set({ ...credential, ...change }));
        expect(error, JSON.stringify(change)).to.be.instanceOf(InvalidInputError);
        expect(error.message).to.equal(message);
      }
      expect(await store.list()).to.deep.equal([]);
      await store.set({ ...credential, authenticatedAt: 0 });
    });

    it("is created once by ten replicas that start at the same moment, in one process", async () => {
      const { databaseUrl, query } = await createDatabase();
      const options = { databaseUrl, masterSecret: hexlify(randomBytes(32)), chainId: 84532 };
      const stores = await Promise.all(Array.from({ length: 10 }, () => openCredentialStore(options)));
      await Promise.all(stores.map((each) => each.set(credential)));
      for (const each of stores) {
        expect(await each.find(alice, "microblog")).not.to.equal(undefined);
        await each.close();
      }
      const ran = await query("select name from kysely_migration order by name");
      expect(ran.map(({ name }) => name)).to.deep.equal(["001-store", "002-refusals"]);
    });

    it("refuses a schema that a later release has changed, while a replica that runs goes on", async () => {
      const { store, open, query } = await fixture();
      await store.set(credential);
      for (const name of ["998-later", "999-later"])
        await query(`insert into kysely_migration values ('${name}', '2030-01-01T00:00:00.000Z')`);
      const error = await rejection(open());
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.equal(
        "A later release has changed the credential store's schema (998-later, 999-later), which this one does not know. Run that release, or a later one.",
      );
      expect((await store.find(alice, "microblog"))?.traits).to.deep.equal(credential.traits);
      await store.set({ ...credential, wallet: bob });
    });
  });
}

describe("An SQLite file of a store", () => {
  it("has each commit on the disk before it is answered, and nothing that is deleted on its pages", async () => {
    const { SQLite: createDatabase } = engines;
    if (createDatabase === undefined) throw new Error("There is no SQLite.");
    const { databaseUrl } = await createDatabase();
    const { db, close } = await openDatabase(readDatabaseLocation(databaseUrl));
    onCleanup(close);
    for (const [pragma, value] of Object.entries({ journal_mode: "wal", synchronous: 2, secure_delete: 1 })) {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(pragma)}`.execute(db);
      expect(rows).to.deep.equal([{ [pragma]: value }]);
    }
  });
});
