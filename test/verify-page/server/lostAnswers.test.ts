import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { postAs } from "../../fixtures/signer/verifyCookies.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

const alice = { action: "pick", pick: "1001" };
const bob = { action: "pick", pick: "1002" };

describe("A click on the verify page whose answer is lost", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  /** Somebody who has proven an account and is asked whether to store it. */
  async function fixture(form = alice) {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    await visitor.prove("microblog", form);
    const { proof } = (await visitor.overview()).body;
    const { address: wallet } = visitor.wallet;
    /** Sends what a click sends. The browser gets no answer, and none of its cookies. */
    async function lose(path: string, body: object = {}) {
      const cookie = visitor.browser.cookies(new URL(stack.service.url));
      const shown = { wallet, proof: proof.id, ...body };
      return (await postAs(cookie, stack.service.url, path, shown)).status;
    }
    const stored = async () => (await stack.store.list({ wallet })).map(({ traits }) => traits.followers);
    return { visitor, lose, stored };
  }

  it("stores the account, and a repetition succeeds", async () => {
    const { visitor, lose, stored } = await fixture();
    expect(await lose("keep")).to.equal(204);
    for (const _time of [1, 2]) expect(await lose("keep")).to.equal(204);
    expect((await visitor.act("keep")).status).to.equal(204);
    expect(await stored()).to.deep.equal(["1200"]);
  });

  it("succeeds twice at the same time", async () => {
    const { lose, stored } = await fixture();
    expect(await Promise.all([lose("keep"), lose("keep"), lose("keep")])).to.deep.equal([204, 204, 204]);
    expect(await stored()).to.deep.equal(["1200"]);
  });

  it("leaves an account of which nobody says that it is not stored", async () => {
    const { visitor, lose, stored } = await fixture();
    await lose("keep");
    const { status, body } = await visitor.act("discard");
    expect([status, body]).to.deep.equal([200, { stored: true }]);
    expect(await stored()).to.deep.equal(["1200"]);
  });

  it("shows the account as stored when the page is loaded again, and asks for it no more", async () => {
    const { visitor, lose } = await fixture();
    await lose("keep");
    const { body } = await visitor.overview();
    expect(body).not.to.have.property("proof");
    expect(body.accounts.map(({ provider }: { provider: string }) => provider)).to.deep.equal(["microblog"]);
  });

  it("shows the account that still waits, of two that were proven", async () => {
    const { visitor, lose } = await fixture();
    await visitor.prove("exchange", { action: "pick", pick: "2001" });
    const { proof } = (await visitor.overview()).body;
    expect(proof).to.include({ provider: "exchange", step: "proven" });
    expect(await lose("keep", { proof: proof.id })).to.equal(204);
    expect((await visitor.overview()).body.proof).to.include({ provider: "microblog", step: "proven" });
  });

  it("does not bring back an account that was deleted or replaced since", async () => {
    const { visitor, lose, stored } = await fixture();
    await lose("keep");
    await visitor.act("erase", { provider: "microblog" });
    expect(await lose("keep")).to.equal(409);
    expect(await stored()).to.deep.equal([]);
    const second = await fixture();
    await second.lose("keep");
    await stack.setCredential(second.visitor.wallet.address, { followers: "5" });
    expect(await second.lose("keep")).to.equal(409);
    expect(await second.stored()).to.deep.equal(["5"]);
  });

  it("does not succeed for the same account that was stored at another time since", async () => {
    const { visitor, lose, stored } = await fixture();
    await lose("keep");
    const { address: wallet } = visitor.wallet;
    const account = { accountId: alice.pick, traits: { followers: "7" }, authenticatedAt: 1_760_000_000 };
    expect(await stack.store.hasOtherAccount(wallet, "microblog", account.accountId)).to.equal(false);
    await stack.store.set({ wallet, provider: "microblog", ...account });
    expect(await lose("keep")).to.equal(409);
    expect(await stored()).to.deep.equal(["7"]);
  });

  for (const table of ["credentials", "spent_nonces"]) {
    it(`may be repeated after the store has refused to write ${table}`, async () => {
      const { lose, stored } = await fixture(bob);
      const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
      const refuse = "begin select raise(abort, 'the disk is full'); end";
      database.exec(`create trigger full before insert on ${table} ${refuse}`);
      expect(await lose("keep")).to.equal(503);
      database.exec("drop trigger full");
      database.close();
      expect(await lose("keep")).to.equal(204);
      expect(await stored()).to.deep.equal(["12"]);
    });
  }

  it("signs in, and signing in once more signs in, too", async () => {
    const visitor = new Visitor(stack.service.url);
    const signature = await visitor.wallet.signMessage(await visitor.askMessage());
    const cookie = visitor.browser.cookies(new URL(stack.service.url));
    const { address: wallet } = visitor.wallet;
    const lost = await postAs(cookie, stack.service.url, "link", { wallet, signature });
    expect(lost.status).to.equal(204);
    await visitor.signIn();
    expect((await visitor.overview()).body.wallet).to.equal(wallet);
  });

  it("signs out, deletes, discards and leaves for a provider, and so does its repetition", async () => {
    const { visitor, lose, stored } = await fixture();
    await visitor.act("keep");
    expect(await lose("erase", { provider: "microblog" })).to.equal(204);
    expect((await visitor.act("erase", { provider: "microblog" })).body.code).to.equal("not_found");
    expect(await stored()).to.deep.equal([]);
    expect(await lose("prove", { provider: "microblog", query: "" })).to.equal(200);
    await visitor.prove("microblog", bob);
    const { id } = (await visitor.overview()).body.proof;
    expect(await lose("discard", { proof: id })).to.equal(200);
    expect((await visitor.act("discard", { proof: id })).body).to.deep.equal({ stored: false });
    expect(await lose("sign-out")).to.equal(204);
    expect((await visitor.act("sign-out")).status).to.equal(204);
    expect((await visitor.overview()).body).not.to.have.property("wallet");
  });

  it("tells a browser that keeps no cookies from one that does", async () => {
    const visitor = new Visitor(stack.service.url);
    const ask = async () =>
      (await visitor.post("message", { wallet: visitor.wallet.address })).body.keepsCookies;
    expect([await ask(), await ask()]).to.deep.equal([false, true]);
    const forgetful = () =>
      postAs("", stack.service.url, "message", { wallet: visitor.wallet.address }).then((answer) =>
        answer.json(),
      );
    for (const _time of [1, 2]) expect(await forgetful()).to.include({ keepsCookies: false });
  });
});
