import { expect } from "chai";
import { development } from "../../../packages/protocol/development.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { readMetric } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("A person at the verify page", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  const alice = { action: "pick", pick: "1001" };
  const bob = { action: "pick", pick: "1002" };

  async function readStore(wallet: string) {
    const { databaseUrl } = stack.service.config;
    const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
    try {
      return await store.list({ wallet });
    } finally {
      await store.close();
    }
  }

  async function signedIn() {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    return visitor;
  }

  it("sees what was read of the account before it is stored, and stores it with a click", async () => {
    const visitor = await signedIn();
    const query = new URLSearchParams({
      providers: "microblog",
      wallet: visitor.wallet.address,
      since: "17",
      state: "s 1",
      redirect_uri: "http://127.0.0.1:9/app?a=1",
    }).toString();
    const back = await visitor.prove("microblog", alice, `${query}&other=1&ui_locales=`);
    expect(back.search).to.equal(`?${query}`);
    const counter = 'identity_provider_sign_ins_total{provider="microblog",outcome="proven"}';
    expect(await readMetric(stack.service.url, counter)).to.be.above(0);

    const before = (await visitor.overview(query)).body;
    expect(before).to.deep.equal({
      pageUrl: `${stack.service.url}/verify`,
      chainId: 84532,
      providers: [
        { name: "microblog", label: "Microblog (sandbox)", asked: true },
        { name: "exchange", label: "Exchange (sandbox)", asked: false },
        { name: "photo_social", label: "Photo social (sandbox)", asked: false },
        { name: "short_video", label: "Short video (sandbox)", asked: false },
      ],
      returnTo: before.returnTo,
      askedWallet: visitor.wallet.address,
      since: 17,
      wallet: visitor.wallet.address,
      accounts: [],
      proof: {
        id: before.proof.id,
        step: "proven",
        provider: "microblog",
        label: "Microblog (sandbox)",
        traits: { followers: "1200", verified: "true", verified_type: "blue" },
        accountName: "Alice",
        authenticatedAt: before.proof.authenticatedAt,
        replaces: false,
        dropped: [],
      },
      development: { rpcUrl: stack.rpcUrl },
    });
    expect(await readStore(visitor.wallet.address)).to.deep.equal([]);

    expect((await visitor.act("keep")).status).to.equal(204);
    const after = (await visitor.overview(query)).body;
    expect(after.proof).to.equal(undefined);
    expect(after.accounts[0]).to.deep.include({ provider: "microblog", traits: before.proof.traits });
    expect(after.returnTo).to.include({
      kind: "trusted",
      success: "http://127.0.0.1:9/app?a=1&success=true&state=s+1",
    });
    const [stored] = await readStore(visitor.wallet.address);
    expect(stored).to.deep.include({ provider: "microblog", traits: before.proof.traits });
  });

  it("keeps the identity when an account is proven again, with new traits and time", async () => {
    const visitor = await signedIn();
    const invent = (followers: string) => ({
      action: "invent",
      accountId: "again",
      "trait.followers": followers,
    });
    await visitor.prove("microblog", invent("5"));
    await visitor.act("keep");
    const [first] = await readStore(visitor.wallet.address);
    await stack.provider.send("evm_increaseTime", [3600]);
    await stack.provider.send("evm_mine", []);
    await visitor.prove("microblog", invent("6"));
    expect((await visitor.overview()).body.proof.replaces).to.equal(false);
    await visitor.act("keep");
    const stored = await readStore(visitor.wallet.address);
    expect(stored).to.have.length(1);
    expect(stored[0]?.pseudonym).to.equal(first?.pseudonym);
    expect(stored[0]?.traits).to.deep.equal({ followers: "6" });
    expect(stored[0]?.authenticatedAt).to.be.at.least((first?.authenticatedAt ?? 0) + 3600);
  });

  it("sees the account's name, which is neither stored nor logged", async () => {
    const visitor = await signedIn();
    const name = "somebody-with-a-name-of-their-own";
    const form = { action: "invent", accountId: "named", name, "trait.followers": "5" };
    await visitor.prove("microblog", form);
    expect((await visitor.overview()).body.proof).to.include({ accountName: name });
    await visitor.act("keep");
    expect(JSON.stringify((await visitor.overview()).body)).not.to.include(name);
    const [stored] = await readStore(visitor.wallet.address);
    expect(JSON.stringify(stored)).to.include("followers").and.not.include(name);
    expect(stack.service.log.join("")).not.to.include(name);
  });

  it("is told which stored values the provider did not tell this time", async () => {
    const visitor = await signedIn();
    const form = { action: "invent", accountId: "less", "trait.verified": "true" };
    await visitor.prove("exchange", { action: "pick", pick: "2001" });
    await visitor.act("keep");
    await visitor.prove("microblog", { ...form, "trait.followers": "5000" });
    expect((await visitor.overview()).body.proof.dropped).to.deep.equal([]);
    await visitor.act("keep");
    await visitor.prove("microblog", form);
    expect((await visitor.overview()).body.proof.dropped).to.deep.equal(["followers"]);
    const [, stored] = await readStore(visitor.wallet.address);
    expect(stored?.traits).to.include({ followers: "5000" });
  });

  it("is told before another account replaces the former one", async () => {
    const visitor = await signedIn();
    await visitor.prove("microblog", alice);
    await visitor.act("keep");
    const [former] = await readStore(visitor.wallet.address);
    await visitor.prove("microblog", bob);
    expect((await visitor.overview()).body.proof).to.include({ step: "proven", replaces: true });
    await visitor.act("keep");
    const stored = await readStore(visitor.wallet.address);
    expect(stored).to.have.length(1);
    expect(stored[0]?.pseudonym).not.to.equal(former?.pseudonym);
    expect(stored[0]?.traits).to.include({ followers: "12" });
  });

  it("can leave a proven account without storing it", async () => {
    const visitor = await signedIn();
    await visitor.prove("microblog", alice);
    const { status, body } = await visitor.act("discard");
    expect([status, body]).to.deep.equal([200, { stored: false }]);
    expect((await visitor.overview()).body.proof).to.equal(undefined);
    expect((await visitor.act("keep")).status).to.equal(409);
    expect(await readStore(visitor.wallet.address)).to.deep.equal([]);
  });

  it("is told of a failure where it happened, and not when another app sends them", async () => {
    const visitor = await signedIn();
    const [one, other] = ["providers=exchange&state=one", "providers=exchange&state=other"];
    await visitor.prove("exchange", { action: "refuse" }, one);
    expect((await visitor.overview(other)).body.proof).to.equal(undefined);
    expect((await visitor.overview()).body.proof).to.equal(undefined);
    expect((await visitor.overview(`${one}&unknown=1`)).body.proof).to.include({ reason: "denied" });
  });
});
