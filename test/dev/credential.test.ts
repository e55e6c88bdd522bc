import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mock } from "node:test";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { getAddress } from "ethers";
import hre from "hardhat";
import deleteCredential from "../../packages/dev/actions/credential.delete.ts";
import { readGivenAccount } from "../../packages/operator/operations/readGivenAccount.ts";
import { development } from "../../packages/protocol/development.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("identity credential set", () => {
  const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const node = await serveProxy(rpcUrl);
    const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
    const port = announce({ rpcUrl: node.url, databaseUrl });
    const setFor = async (wallets: string, ...args: string[]) => {
      const options = ["--port", port, "--wallet", wallets, "--provider", "microblog", "--json"];
      const { code, stdout } = await runHardhat(["identity", "credential", "set", ...options, ...args]);
      return { code, json: JSON.parse(stdout) };
    };
    const set = (...args: string[]) => setFor(wallet, ...args);
    return { provider, node, set, setFor };
  }

  it("says that a credential without traits meets no condition", async () => {
    const { set } = await fixture();
    expect((await set("--account-id", "1001")).json.warning).to.equal(
      "The account has no traits, so it meets no conditions. Set them with --traits '{\"followers\":1200}'.",
    );
    const { json } = await set("--account-id", "1001", "--traits", '{"followers":1200}');
    expect(json).to.not.have.property("warning");
  });

  it("takes the numbers of several of the chain's accounts, for one person's wallets", async () => {
    const { provider, setFor } = await fixture();
    const { json } = await setFor("1, 2", "--account-id", "1001", "--traits", '{"followers":1200}');
    const accounts: string[] = await provider.send("eth_accounts", []);
    expect(json.wallets).to.deep.equal(accounts.slice(1, 3).map(getAddress));
  });

  it("refuses a credential without an account id", async () => {
    const { set } = await fixture();
    expect((await set()).json.error.message).to.equal(
      "--account-id is missing; it must be the provider's id of the account.",
    );
  });
});

describe("identity credential set --from", () => {
  const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

  async function fixture() {
    const folder = await temporaryFolder();
    const file = join(folder, "account.json");
    const databaseUrl = `file:${join(folder, "identity.sqlite")}`;
    const { rpcUrl } = await serveLocalChain();
    const port = announce({ rpcUrl, databaseUrl });
    const set = async (args: string[], input?: string) => {
      const options = ["--wallet", wallet, "--provider", "microblog", "--port", port, "--json", ...args];
      const command = ["identity", "credential", "set", ...options];
      const { code, stdout } = await runHardhat(command, input ? { input } : {});
      return { code, json: JSON.parse(stdout) };
    };
    return { file, databaseUrl, set };
  }

  it("reads a file that begins with a byte order mark", async () => {
    const file = join(await temporaryFolder(), "account.json");
    await writeFile(file, '\ufeff{ "accountId": "1001", "traits": {}, "authenticatedAt": 1760000000 }');
    const options = { accountId: undefined, traits: undefined, authenticatedAt: undefined, json: true };
    const given = await readGivenAccount("microblog", { ...options, from: file });
    expect(given.accountId).to.equal("1001");
  });

  it("reads a file in UTF-16, as Windows PowerShell writes one", async () => {
    const file = join(await temporaryFolder(), "account.json");
    const account = '\ufeff{ "accountId": "é", "traits": {}, "authenticatedAt": 1760000000 }';
    await writeFile(file, account, "utf16le");
    const options = { accountId: undefined, traits: undefined, authenticatedAt: undefined, json: true };
    const given = await readGivenAccount("microblog", { ...options, from: file });
    expect(given.accountId).to.equal("é");
  });

  it("reads account, traits and time from a file or standard input, so the command line shows none of them", async () => {
    const { file, set, databaseUrl } = await fixture();
    const traits = '{"followers":12345678901234567890}';
    await writeFile(file, `{"accountId":"1001","traits":${traits},"authenticatedAt":1760000000}`);
    const account = { accountId: undefined, traits: undefined };
    const options = { ...account, authenticatedAt: undefined, json: true };
    expect(await readGivenAccount("microblog", { ...options, from: file })).to.deep.equal({
      accountId: "1001",
      traits: { followers: "12345678901234567890" },
      authenticatedAt: 1_760_000_000,
    });
    const { code, json } = await set(
      ["--from", "-"],
      '{"accountId":1001,"traits":{"followers":"7"},"authenticatedAt":1760000000}\n',
    );
    expect(json).to.deep.equal({
      wallets: [wallet],
      provider: "microblog",
      traits: { followers: "7" },
      authenticatedAt: 1_760_000_000,
      erased: true,
    });
    expect(code).to.equal(0);

    const store = await openCredentialStore({
      databaseUrl,
      masterSecret: development.masterSecret,
      chainId: 84532,
    });
    expect(await store.hasOtherAccount(wallet, "microblog", "1001"), "1001 is 1001").to.equal(false);
    await store.close();
  });

  it("refuses a file that it cannot use, and other options beside --from", async () => {
    const { file } = await fixture();
    const none = { accountId: undefined, traits: undefined, authenticatedAt: undefined };
    const refusal = async (content: string, given = {}) => {
      await writeFile(file, content);
      const args = { ...none, json: true, from: file, ...given };
      return (await rejection(readGivenAccount("microblog", args))).message;
    };
    const good = '{"accountId":"secret-account"}';
    for (const [content, words] of [
      ["nonsense", "but it is not"],
      ['["secret-account"]', "but it is not"],
      ['{"traits":{}}', "has no account id"],
      ['{"accountId":1.5}', "has no account id"],
      ['{"accountId":""}', "has no account id"],
      ['{"accountId":"secret-account","wallet":"0x12"}', 'has a member "wallet"'],
      ['{"accountId":"secret-account","traits":[1]}', "has traits that are not an object"],
      ['{"accountId":"secret-account","traits":{"fame":1}}', 'no trait "fame"'],
      ['{"accountId":"secret-account","authenticatedAt":true}', "whole unix seconds"],
      ['{"accountId":"secret-account","authenticatedAt":-5}', "whole number"],
    ] as const) {
      expect(await refusal(content), content)
        .to.include(words)
        .and.not.include("secret-account");
    }
    for (const given of [{ accountId: "1" }, { traits: "{}" }, { authenticatedAt: "1" }]) {
      expect(await refusal(good, given)).to.include(
        "leave out --account-id, --traits and --authenticated-at.",
      );
    }
    expect(await refusal(good, { from: `${file}.none` })).to.include("cannot be read (ENOENT)");
  });
});

describe("identity credential delete", () => {
  const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

  /** A store with a credential, which a test reads, and the task on it in this process. */
  async function fixture() {
    const file = join(await temporaryFolder(), "identity.sqlite");
    const databaseUrl = `file:${file}`;
    const store = await openCredentialStore({
      databaseUrl,
      masterSecret: development.masterSecret,
      chainId: 84532,
    });
    const port = announce({ rpcUrl: "http://127.0.0.1:9", databaseUrl });
    onCleanup(() => store.close());
    const account = { provider: "microblog", accountId: "1001", traits: {}, authenticatedAt: 1_760_000_000 };
    await store.set({ wallet, ...account });
    const reader = new DatabaseSync(file, { readOnly: true });
    onCleanup(() => reader.isOpen && reader.close());
    const run = async (json: boolean) => {
      const { mock: log } = mock.method(console, "log", () => undefined);
      const result = await deleteCredential({ wallet, provider: "microblog", json, port }, hre);
      log.restore();
      return { result, said: log.calls.map(({ arguments: [line] }) => line).join("\n") };
    };
    return { reader, run };
  }

  it("warns if the deleted credential is still in the store's log after five seconds", async () => {
    const { reader, run } = await fixture();
    reader.exec("begin; select * from credentials");
    let now = 0;
    // Each look at the clock is a tenth of a second later than the one before.
    const { mock: clock } = mock.method(performance, "now", () => {
      now += 100;
      return now;
    });
    onCleanup(() => clock.restore());
    const { said } = await run(false);
    expect(now).to.be.within(6_000, 12_000);
    expect(said).to.equal(
      `Deleted: microblog credential of ${wallet}. Data that was deleted or replaced may still be in the store's log, because ` +
        "another program is reading the store; a running service erases it within a minute after that program ends, otherwise the next program that opens " +
        "the store does.",
    );
    const { said: again } = await run(false);
    expect(again, "what it has not deleted").to.equal(`${wallet} has no microblog credential.`);
  });

  it("waits for a reader to end, so the deleted credential leaves the log", async () => {
    const { reader, run } = await fixture();
    reader.exec("begin; select * from credentials");
    const deleted = run(true);
    await setTimeout(30);
    reader.exec("commit");
    expect(JSON.parse((await deleted).said)).to.deep.equal({
      wallet,
      provider: "microblog",
      deleted: true,
      erased: true,
    });
    expect((await run(false)).result).to.include({ success: false });
  });
});

describe("identity credential list", () => {
  it("opens the stack's store, whatever the environment names", async () => {
    const databaseUrl = `file:${join(await temporaryFolder(), "identity.sqlite")}`;
    const env = { IDENTITY_DATABASE_URL: "file:/nowhere/identity.sqlite", IDENTITY_MASTER_SECRET: "" };
    const port = announce({ rpcUrl: "http://127.0.0.1:9", databaseUrl });
    const { code, stdout } = await runHardhat(["identity", "credential", "list", "--json", "--port", port], {
      env,
    });
    expect(JSON.parse(stdout)).to.deep.equal([]);
    expect(code).to.equal(0);
  });
});
