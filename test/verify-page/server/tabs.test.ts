import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { postAs } from "../../fixtures/signer/verifyCookies.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

const alice = { action: "pick", pick: "1001" };
const bob = { action: "pick", pick: "1002" };
const microblog = { provider: "microblog" };

describe("Two tabs of the verify page", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  /** A tab that shows one wallet, in a browser in which another has signed in since, with an account of its own. */
  async function fixture() {
    const stale = new Visitor(stack.service.url);
    await stale.signIn();
    await stale.prove("microblog", alice);
    const current = stale.openTab();
    await current.signIn();
    await current.prove("microblog", bob);
    await current.act("keep");
    return { stale, current };
  }

  const accountsOf = async (tab: Visitor) => (await stack.store.list({ wallet: tab.wallet.address })).length;

  for (const [path, body] of [
    ["keep", {}],
    ["discard", {}],
    ["erase", microblog],
    ["prove", { ...microblog, query: "" }],
    ["sign-out", {}],
  ] as const) {
    it(`take no ${path} from the one whose wallet is not the one signed in`, async () => {
      const { stale, current } = await fixture();
      await current.prove("exchange", { action: "pick", pick: "2001" });
      const before = stale.browser.cookies(new URL(stack.service.url));
      const { status, body: problem } = await stale.act(path, body);
      expect([status, problem.code, problem.detail]).to.deep.equal([
        409,
        "stale_page",
        "The page showed another wallet than the current one.",
      ]);
      expect(stale.browser.cookies(new URL(stack.service.url))).to.equal(before);
      expect([await accountsOf(stale), await accountsOf(current)]).to.deep.equal([0, 1]);
      expect((await current.act("keep")).status).to.equal(204);
      expect(await accountsOf(current)).to.equal(2);
    });
  }

  it("store the account that was shown", async () => {
    const tab = new Visitor(stack.service.url);
    await tab.signIn();
    const other = tab.openTab(tab.wallet);
    await tab.prove("microblog", alice);
    await other.prove("microblog", bob);
    for (const path of ["keep", "discard"]) {
      const { status, body } = await tab.act(path);
      expect([status, body.code, body.detail], path).to.deep.equal([
        409,
        "stale_page",
        "The sign-in at a provider that the page showed is no longer pending.",
      ]);
    }
    expect(await accountsOf(tab)).to.equal(0);
    expect((await other.act("keep")).status).to.equal(204);
    expect((await other.overview()).body.accounts[0].traits).to.include({ followers: "12" });
  });

  it("show a failure where it happened, and keep it there while the other one signs in, until this one does", async () => {
    const tab = new Visitor(stack.service.url);
    await tab.signIn();
    const other = tab.openTab(tab.wallet);
    await tab.prove("exchange", { action: "refuse" }, "state=one");
    expect((await other.overview("state=two")).body).not.to.have.property("proof");
    await other.prove("microblog", bob, "state=two");
    expect((await tab.overview("state=one")).body.proof).to.include({ step: "failed", provider: "exchange" });
    const callback = await tab.goToProvider("microblog", alice, "state=one");
    await tab.prove("exchange", { action: "refuse" }, "state=one");
    await tab.browser.visit(callback, { until: ({ pathname }) => pathname === "/verify" });
    expect((await tab.overview("state=one")).body.proof).to.include({ step: "proven" });
    expect((await tab.act("keep")).status).to.equal(204);
    expect((await tab.overview("state=one")).body).not.to.have.property("proof");
  });

  it("sign the wallet in that the person has had sign, and none that the other one asked for since", async () => {
    const tab = new Visitor(stack.service.url);
    const signature = await tab.wallet.signMessage(await tab.askMessage());
    const other = tab.openTab();
    const theirs = await other.wallet.signMessage(await other.askMessage());
    const wrong = await tab.act("link", { signature: theirs });
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, "invalid_argument"]);
    for (const [each, mine] of [
      [tab, signature],
      [other, theirs],
    ] as const) {
      expect((await each.act("link", { signature: mine })).status).to.equal(204);
      expect((await each.overview()).body.wallet).to.equal(each.wallet.address);
    }
    const stranger = tab.openTab();
    await tab.askMessage();
    const { status, body } = await stranger.act("link", { signature });
    expect([status, body.code]).to.deep.equal([409, "stale_page"]);
  });

  it("may begin at the same moment: each signs in by its own message, and comes back with its own account", async () => {
    const tab = new Visitor(stack.service.url);
    const other = tab.openTab();
    const messages = await Promise.all([tab.askMessage(), other.askMessage()]);
    for (const [i, each] of [tab, other].entries()) {
      const signature = await each.wallet.signMessage(String(messages[i]));
      expect((await each.act("link", { signature })).status).to.equal(204);
      expect((await each.overview()).body.wallet).to.equal(each.wallet.address);
    }
    const third = tab.openTab(other.wallet);
    const callbacks = await Promise.all([
      other.goToProvider("microblog", alice, "state=one"),
      third.goToProvider("photo_social", { action: "pick", pick: "3001" }, "state=two"),
    ]);
    for (const [i, each] of [other, third].entries()) {
      await each.browser.visit(String(callbacks[i]), { until: ({ pathname }) => pathname === "/verify" });
      expect((await each.overview(i === 0 ? "state=one" : "state=two")).body.proof).to.include({
        step: "proven",
      });
      expect((await each.act("keep")).status).to.equal(204);
    }
    expect(await accountsOf(other)).to.equal(2);
  });

  it("may both be at a provider, and each stores what it has proven, for its own app", async () => {
    const tab = new Visitor(stack.service.url);
    await tab.signIn();
    const other = tab.openTab(tab.wallet);
    const [query, otherQuery] = ["state=one", "state=two"];
    const callback = await tab.goToProvider("microblog", alice, query);
    const otherCallback = await other.goToProvider(
      "photo_social",
      { action: "pick", pick: "3001" },
      otherQuery,
    );
    for (const [each, url] of [
      [tab, callback],
      [other, otherCallback],
    ] as const) {
      const { url: back } = await each.browser.visit(url, { until: (next) => next.pathname === "/verify" });
      expect(back.search).to.equal(each === tab ? `?${query}` : `?${otherQuery}`);
    }
    expect((await tab.overview(query)).body.proof).to.include({ step: "proven", provider: "microblog" });
    expect((await other.overview(otherQuery)).body.proof).to.include({ provider: "photo_social" });
    for (const each of [tab, other]) expect((await each.act("keep")).status).to.equal(204);
    expect(await accountsOf(tab)).to.equal(2);
    expect((await tab.overview(query)).body).not.to.have.property("proof");
  });

  it("accept the wallet in any casing", async () => {
    const { current } = await fixture();
    const wallet = current.wallet.address.toLowerCase();
    expect((await current.act("erase", { ...microblog, wallet })).status).to.equal(204);
  });

  it("may both sign out", async () => {
    const tab = new Visitor(stack.service.url);
    await tab.signIn();
    expect((await tab.act("sign-out")).status).to.equal(204);
    expect((await tab.act("sign-out")).status).to.equal(204);
    expect((await tab.act("keep", { proof: "any" })).body.code).to.equal("not_signed_in");
  });

  it("stay signed out when a message that one has asked for comes after the other has signed out", async () => {
    const tab = new Visitor(stack.service.url);
    await tab.signIn();
    const asked = tab.browser.cookies(new URL(stack.service.url));
    await tab.act("sign-out");
    // The answer to what was asked before, which the browser takes after.
    const late = await postAs(asked, stack.service.url, "message", { wallet: tab.wallet.address });
    expect(late.status).to.equal(200);
    const set = late.headers.getSetCookie().map((line) => line.split(";")[0]);
    const overview = await fetch(`${stack.service.url}/verify/overview`, {
      headers: { cookie: set.join("; ") },
    });
    expect(await overview.json()).not.to.have.property("wallet");
  });
});
