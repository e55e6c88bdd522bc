import { expect } from "chai";
import { atTime } from "../../fixtures/passTime.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { inSpanish, readPage } from "../../fixtures/signer/scriptedBrowser.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { cookieOf, postAs } from "../../fixtures/signer/verifyCookies.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

const alice = { action: "pick", pick: "1001" };
const bob = { action: "pick", pick: "1002" };

describe("Coming back from a provider", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  async function signedIn() {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    return visitor;
  }

  /** Opens a callback, and tells whether the page takes it for one of this browser's. */
  async function isTaken(visitor: Visitor, callback: URL): Promise<boolean> {
    const { url, status } = await visitor.browser.visit(callback, {
      until: (next) => next.pathname === "/verify",
    });
    expect(status).to.equal(303);
    expect(url.origin).to.equal(stack.service.url);
    return url.searchParams.get("ended") === null;
  }

  it("counts once", async () => {
    const visitor = await signedIn();
    const callback = await visitor.goToProvider("microblog", alice);
    const cookie = visitor.browser.cookies(callback);
    expect(await isTaken(visitor, callback)).to.equal(true);
    expect(await isTaken(visitor, callback)).to.equal(false);
    const replay = await fetch(callback, { headers: { cookie }, redirect: "manual" });
    expect(replay.headers.get("location")).to.equal(`${stack.service.url}/verify?ended=used`);
    expect(replay.headers.getSetCookie()).to.deep.equal([]);
  });

  it("counts in no other browser", async () => {
    const attacker = await signedIn();
    const callback = await attacker.goToProvider("microblog", alice);
    const victim = await signedIn();
    expect(await isTaken(victim, callback)).to.equal(false);
    expect(await isTaken(new Visitor(stack.service.url), callback)).to.equal(false);
    await victim.goToProvider("microblog", bob);
    expect(await isTaken(victim, callback)).to.equal(false);
    const label = "Microblog (sandbox)";
    expect((await victim.overview()).body.proof).to.deep.equal({
      step: "started",
      provider: "microblog",
      label,
    });
  });

  it("does not count with another sign-in's code", async () => {
    const [attacker, victim] = [await signedIn(), await signedIn()];
    const stolen = await victim.goToProvider("microblog", bob);
    const own = await attacker.goToProvider("microblog", alice);
    own.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expect(await isTaken(attacker, own)).to.equal(true);
    expect((await attacker.overview()).body.proof).to.include({ step: "failed", reason: "expired" });
  });

  it("does not count at another provider's callback", async () => {
    const visitor = await signedIn();
    const callback = await visitor.goToProvider("microblog", alice);
    callback.pathname = callback.pathname.replace("microblog", "exchange");
    expect(await isTaken(visitor, callback)).to.equal(false);
  });

  it("counts with additional parameters that nobody asked for", async () => {
    const visitor = await signedIn();
    const callback = await visitor.goToProvider("microblog", alice);
    callback.searchParams.set("iss", "https://a-name-that-no-connector-knows.example");
    callback.searchParams.set("id_token", "what nobody asked for");
    callback.searchParams.set("response", "another");
    expect(await isTaken(visitor, callback)).to.equal(true);
    expect((await visitor.overview()).body.proof).to.include({ step: "proven" });
  });

  it("goes on after an error without the state, which anybody may have sent", async () => {
    const visitor = await signedIn();
    const earlier = await visitor.goToProvider("microblog", alice, "state=of-an-earlier-visit");
    const callback = await visitor.goToProvider("microblog", alice, "state=of-the-app");
    await visitor.goToProvider("exchange", { action: "refuse" }, "state=of-another-provider");
    const error = new URL("?error=access_denied", callback);
    // Some providers give a code of their own instead.
    for (const refusal of [error, new URL("?error_code=1349220", callback)]) {
      const { url } = await visitor.browser.visit(refusal, { until: (next) => next.pathname === "/verify" });
      expect(url.search).to.equal("?state=of-the-app");
      expect((await visitor.overview()).body.proof).to.include({ step: "started" });
    }
    expect(await isTaken(visitor, callback)).to.equal(true);
    expect((await visitor.overview()).body.proof).to.include({ step: "proven" });
    expect(await isTaken(visitor, earlier)).to.equal(true);
    expect(await isTaken(visitor, error)).to.equal(false);
  });

  it("does not count with the cookie of a sign-in that another session started", async () => {
    const visitor = await signedIn();
    const callback = await visitor.goToProvider("microblog", alice);
    const [proof, former] = [cookieOf(visitor, "proof"), cookieOf(visitor, "session")];
    await visitor.signIn();
    expect(cookieOf(visitor, "session")).not.to.equal(former);
    const answer = await fetch(callback, {
      headers: { cookie: `${cookieOf(visitor, "session")}; ${proof}` },
      redirect: "manual",
    });
    expect(answer.headers.get("location")).to.equal(`${stack.service.url}/verify?ended=changed`);
  });

  it("says why it does not count, and keeps where the app wants the person back", async () => {
    const redirect = new URLSearchParams({ redirect_uri: "https://app.example/claim?tab=2" });
    const query = `${redirect}&providers=microblog&wallet=${stack.user}&state=secret`;
    const comeBack = async (callback: URL, cookie = "") => {
      const { headers } = await fetch(callback, { headers: { cookie }, redirect: "manual" });
      return headers.get("location")?.replace(`${stack.service.url}/verify?`, "");
    };
    const kept = query.replace("&state=secret", "");
    const visitor = await signedIn();
    const cookies = () => visitor.browser.cookies(new URL(stack.service.url));
    const callback = await visitor.goToProvider("microblog", alice, query);
    expect(callback.searchParams.get("state")).to.have.length.at.most(500);
    expect(await comeBack(callback), "another browser").to.equal(`ended=elsewhere&${kept}`);
    expect(await comeBack(callback, cookieOf(visitor, "session"))).to.equal(`ended=dropped&${kept}`);
    expect(await comeBack(callback, cookieOf(await signedIn(), "session"))).to.equal(`ended=changed&${kept}`);
    const before = cookies();
    expect(await isTaken(visitor, callback)).to.equal(true);
    // The answer may have been lost on its way to the browser that began.
    expect(await comeBack(callback, before), "its own sign-in").to.equal(`ended=used&${query}`);
    for (const cookie of [cookies(), ""]) {
      expect(await comeBack(callback, cookie), "again").to.equal(`ended=used&${kept}`);
    }
    const muchLater = await atTime(Date.now() + 910_000, () => comeBack(callback));
    expect(muchLater, "again, much later").to.equal(`ended=used&${kept}`);
    const late = await visitor.goToProvider("microblog", alice, query);
    const inTime = await atTime(Date.now() + 890_000, () => comeBack(late));
    expect(inTime).to.equal(`ended=elsewhere&${kept}`);
    expect(await atTime(Date.now() + 910_000, () => comeBack(late))).to.equal(`ended=late&${kept}`);
    const forged = new URL(late);
    forged.searchParams.set("state", `${late.searchParams.get("state")}A`);
    expect(await comeBack(forged)).to.equal("ended=unknown");
    // The state has room for 500 characters. The return address is the last part to be left out.
    const long = await (await signedIn()).goToProvider(
      "microblog",
      alice,
      `${query}&ui_locales=${"e".repeat(200)}`,
    );
    expect(await comeBack(long)).to.equal(`ended=elsewhere&${redirect}&wallet=${stack.user}`);
    const longer = await (await signedIn()).goToProvider("microblog", alice, `${redirect}${"x".repeat(300)}`);
    expect(await comeBack(longer)).to.equal("ended=elsewhere");
  });

  it("counts after the same browser started anew, in either order", async () => {
    const visitor = await signedIn();
    const first = await visitor.goToProvider("microblog", alice);
    const second = await visitor.goToProvider("microblog", bob);
    const third = await visitor.goToProvider("exchange", { action: "refuse" });
    for (const callback of [second, third, first]) {
      expect(await isTaken(visitor, callback)).to.equal(true);
    }
    expect((await visitor.overview()).body.proof.traits).to.include({ followers: "1200" });
  });

  it("bounds what a browser carries for sign-ins that never end", async () => {
    const visitor = await signedIn();
    const query = `state=${"s".repeat(2_300)}`;
    const callbacks: URL[] = [];
    for (let i = 0; i < 4; i++) callbacks.push(await visitor.goToProvider("microblog", alice, query));
    expect(visitor.browser.cookies(new URL(`${stack.service.url}/verify`)).length).to.be.lessThan(7_000);
    const [oldest, newest] = [callbacks[0], callbacks.at(-1)];
    expect(oldest && (await isTaken(visitor, oldest))).to.equal(false);
    expect(newest && (await isTaken(visitor, newest))).to.equal(true);
  });

  for (const [name, init] of [
    ["a prefetch", { headers: { "sec-purpose": "prefetch" } }],
    ["a page that is rendered ahead", { headers: { "sec-purpose": "prefetch;prerender" } }],
    ["a prefetch of an older browser", { headers: { purpose: "prefetch" } }],
    ["a prefetch of an older Firefox", { headers: { "x-moz": "prefetch" } }],
    ["a preview", { headers: { "x-purpose": "preview" } }],
    ["a picture's address", { headers: { "sec-fetch-dest": "image" } }],
    ["a look at its headers", { method: "HEAD" }],
  ] as const) {
    it(`is not used up by ${name}`, async () => {
      const visitor = await signedIn();
      const callback = await visitor.goToProvider("microblog", alice);
      const looked = await visitor.browser.request(callback, init);
      expect([looked.status, looked.headers.get("cache-control")]).to.deep.equal([403, "no-store"]);
      expect(looked.headers.getSetCookie()).to.deep.equal([]);
      const { host } = new URL(stack.service.url);
      // Another language keeps what the provider has sent.
      const shown = `Continue your sign-in: Identity service ${host} English [${inSpanish(callback)}] Español Continue your sign-in [] Continue`;
      expect(readPage(await looked.text())).to.equal("method" in init ? ": " : shown);
      expect(await isTaken(visitor, callback)).to.equal(true);
      expect((await visitor.overview()).body.proof).to.include({ step: "proven" });
    });
  }

  it("shows the service's own name, also behind a proxy that sends another host", async () => {
    const { host, port } = new URL(stack.service.url);
    const head = ["GET /verify/callback/microblog HTTP/1.1", "Host: 10.0.0.11:3000", "Purpose: prefetch"];
    const answer = await sendRaw(Number(port), [...head, "Connection: close", "", ""].join("\r\n"));
    expect(answer).to.include(host).and.not.include("10.0.0.11");
  });

  it("needs a state", async () => {
    const visitor = await signedIn();
    for (const change of ["remove", "double", "other"]) {
      const callback = await visitor.goToProvider("microblog", alice);
      const state = callback.searchParams.get("state") ?? "";
      if (change === "remove") callback.searchParams.delete("state");
      if (change === "double") callback.searchParams.append("state", state);
      if (change === "other") callback.searchParams.set("state", "x".repeat(state.length));
      expect(await isTaken(visitor, callback), change).to.equal(false);
    }
  });

  it("stores a proven account once, for its wallet", async () => {
    const visitor = await signedIn();
    await visitor.prove("microblog", alice);
    const { id: proof } = (await visitor.overview()).body.proof;
    const cookie = visitor.browser.cookies(new URL(stack.service.url));
    const keep = (cookie: string, shown: object) =>
      postAs(cookie, stack.service.url, "keep", { wallet: visitor.wallet.address, proof, ...shown });
    expect((await visitor.act("keep")).status).to.equal(204);
    await visitor.act("erase", { provider: "microblog" });
    expect((await keep(cookie, {})).status).to.equal(409);
    expect((await visitor.overview()).body.accounts).to.deep.equal([]);

    const other = await signedIn();
    await other.prove("microblog", bob);
    const { id } = (await other.overview()).body.proof;
    const mixed = `${cookieOf(visitor, "session")}; ${cookieOf(other, "proof")}`;
    for (const shown of [{}, { proof: id }, { proof: id, wallet: other.wallet.address }]) {
      expect((await keep(mixed, shown)).status).to.equal(409);
    }
  });
});
