import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { type HDNodeWallet, Wallet } from "ethers";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { inSpanish, readPage } from "../../fixtures/signer/scriptedBrowser.ts";
import { readMetric, startTestSigner } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";
import { guardedAnswer, wholeHead } from "../../fixtures/wholeHead.ts";

const posts = ["message", "link", "prove", "keep", "discard", "erase", "sign-out"];

describe("The verify page's endpoints", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  async function signedIn() {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    await visitor.prove("microblog", { action: "pick", pick: "1001" });
    await visitor.act("keep");
    return visitor;
  }

  for (const path of posts) {
    it(`take no ${path} of another page's script or form, nor of one that hides where it is`, async () => {
      const visitor = await signedIn();
      const body = { wallet: visitor.wallet.address, provider: "microblog", query: "", signature: "0x00" };
      const before = visitor.browser.cookies(new URL(stack.service.url));
      const origins = [
        "https://evil.example",
        "null",
        stack.sandbox.url,
        stack.service.url.replace(/:\d+$/, ""),
      ];
      for (const origin of origins) {
        visitor.origin = origin;
        const answer = await visitor.act(path, body);
        expect([answer.status, answer.body.code, answer.body.detail], origin).to.deep.equal([
          403,
          "foreign_origin",
          `Only the page at ${stack.service.url} may send this request.`,
        ]);
      }
      const form = await visitor.browser.request(`${stack.service.url}/verify/${path}`, {
        method: "POST",
        headers: { origin: "https://evil.example" },
        body: new URLSearchParams({ provider: "microblog" }),
      });
      expect(form.status).to.equal(403);
      const silent = await visitor.browser.request(`${stack.service.url}/verify/${path}`, { method: "POST" });
      expect(silent.status).to.equal(403);
      expect(visitor.browser.cookies(new URL(stack.service.url))).to.equal(before);
      visitor.origin = stack.service.url;
      expect((await visitor.overview()).body.accounts).to.have.length(1);
    });
  }

  it("tell nothing to scripts of other pages", async () => {
    const visitor = await signedIn();
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await visitor.browser.request(`${stack.service.url}/verify/overview`, {
        method,
        headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
      });
      expect(answer.headers.get("access-control-allow-origin")).to.equal(null);
      expect(answer.headers.get("cross-origin-resource-policy")).to.equal("same-origin");
    }
  });

  it("want a wallet that has signed in", async () => {
    const visitor = new Visitor(stack.service.url);
    for (const [path, body] of [
      ["prove", { provider: "microblog", query: "" }],
      ["keep", { proof: "any" }],
      ["discard", { proof: "any" }],
      ["erase", { provider: "microblog" }],
    ] as const) {
      const answer = await visitor.act(path, body);
      expect([answer.status, answer.body.code, answer.body.detail], path).to.deep.equal([
        401,
        "not_signed_in",
        "No wallet has signed in, or its session has expired; sign in again.",
      ]);
    }
  });

  it("answer bad bodies with a clear 4xx", async () => {
    const visitor = await signedIn();
    for (const path of posts) {
      const withoutWallet = { provider: "microblog", query: "", signature: "0x00", proof: "x" };
      const wrongWallet = { ...withoutWallet, wallet: 7 };
      for (const body of [null, [], 7, "x", {}, { provider: {} }, withoutWallet, wrongWallet]) {
        const { status, body: problem } = await visitor.post(path, body);
        expect(status, `${path} ${JSON.stringify(body)}`).to.be.oneOf([400, 404]);
        expect(problem.detail).to.be.a("string");
      }
      const large = await visitor.post(path, { wallet: "x".repeat(20_000) });
      expect(large.status).to.equal(413);
      const text = await visitor.post(path, {}, { "content-type": "text/plain" });
      expect(text.status).to.equal(415);
    }
  });

  it("start nothing at a provider for a return address that the page refuses", async () => {
    const visitor = await signedIn();
    const query = "redirect_uri=javascript:alert(1)";
    expect((await visitor.act("prove", { provider: "microblog", query })).status).to.equal(400);
    const unknown = await visitor.act("prove", { provider: "myspace", query: "" });
    expect(unknown.body.detail).to.equal("The provider is not set up at this service.");
    const { body } = await visitor.act("prove", { provider: "microblog", query: "", language: "es" });
    expect(new URL(body.location).searchParams.get("ui_locales")).to.equal("es");
  });

  it("tell nothing of the wallet the app asks for", async () => {
    const visitor = await signedIn();
    const { address } = visitor.wallet;
    const stranger = new Visitor(stack.service.url);
    const { body } = await stranger.overview(`wallet=${address.toLowerCase()}&since=1700000000`);
    expect(body).to.include({ askedWallet: address, since: 1_700_000_000 });
    expect(body).not.to.have.any.keys("wallet", "accounts", "proof");
    expect((await stranger.overview()).body)
      .to.include({ since: 0 })
      .and.not.to.have.property("askedWallet");
    for (const query of [
      "wallet=0x12",
      `wallet=${address.toLowerCase().replace("0x", "")}`,
      `wallet=0xd8da6bf26964af9d7eed9e03e53415d37aa96045&wallet=${address}`,
      "wallet=0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96046",
      "since=tomorrow",
      "since=-1",
      "since=1700000000000",
      "since=9999999999999",
    ]) {
      const { body: refused } = await stranger.overview(query);
      const detail = query.includes("&")
        ? "The address has wallet more than once."
        : query.startsWith("wallet")
          ? "The app's wallet is not an address, or has a wrong checksum."
          : "The app's time (since) is not in unix seconds.";
      expect(refused, query).to.include({ code: "invalid_argument", detail });
      expect((await fetch(`${stack.service.url}/verify?${query}`)).status, query).to.equal(400);
    }
  });

  it("remember what can be used once for as long as it is valid", async () => {
    await signedIn();
    const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
    const rows = database
      .prepare("select nonce, expires_at - unixepoch() as seconds from spent_nonces")
      .all();
    database.close();
    for (const [kind, seconds] of Object.entries({ link: 600, state: 900, keep: 900 })) {
      const found = rows.filter(({ nonce }) => String(nonce).startsWith(`${kind}:`));
      expect(found, kind).not.to.deep.equal([]);
      for (const row of found) expect(Number(row.seconds), kind).to.be.within(seconds - 60, seconds);
    }
  });

  it("return at once to the operator's apps, and to others as the operator says", async () => {
    const kindAt = async (env: Record<string, string>, origin: string) => {
      const apps = { IDENTITY_REDIRECT_ORIGINS: "https://app.example=App" };
      const { service } = await serveVerifyPage({ ...apps, ...env });
      const { body } = await new Visitor(service.url).overview(`redirect_uri=${origin}/`);
      return body.returnTo === undefined ? body.code : [body.returnTo.kind, body.returnTo.name];
    };
    const refuse = { IDENTITY_OTHER_REDIRECTS: "refuse" };
    expect(await kindAt(refuse, "https://app.example")).to.deep.equal(["trusted", "App"]);
    expect(await kindAt(refuse, "https://other.example")).to.equal("invalid_argument");
    expect(await kindAt({}, "https://other.example")).to.deep.equal(["ask", undefined]);
  });

  it("take 2,400 characters of what an app asks, and no more, in cookies that proxies pass on", async () => {
    const visitor = new Visitor(stack.service.url);
    const ask = (length: number) => visitor.overview(`state=${"s".repeat(length - "state=".length)}`);
    expect((await ask(2_400)).status).to.equal(200);
    const { status, body } = await ask(2_401);
    expect(status).to.equal(400);
    expect(body.detail).to.include("more than 2400 characters");
    await visitor.signIn();
    // In two lengths, with a return address that the provider's `state` has room for.
    const address = `redirect_uri=${encodeURIComponent(`https://app.example/${"p".repeat(200)}`)}&state=`;
    for (const length of [2_400, 2_000, 2_400]) {
      const query = address + "s".repeat(length - address.length);
      expect((await visitor.act("prove", { provider: "microblog", query })).status).to.equal(200);
      const cookies = visitor.browser.cookies(new URL(stack.service.url)).match(/identity-proof[^;]*/g) ?? [];
      for (const cookie of cookies) expect(cookie.length, "browsers drop longer ones").to.be.at.most(4_096);
      expect(cookies.join("; ").length).to.be.within(2_400, 5_500);
    }
  });

  it("carry the security headers of the threat list, errors and redirects too", async () => {
    const visitor = new Visitor(stack.service.url);
    for (const path of ["overview", "overview?redirect_uri=x", "callback/microblog", "keep", "nothing"]) {
      const answer = await visitor.browser.request(`${stack.service.url}/verify/${path}`);
      expect(wholeHead(answer, ["allow", "content-type", "location", "vary"]), path).to.deep.equal({
        ...guardedAnswer,
        "cache-control": "no-store",
      });
    }
  });

  it("insist on https for a year where the page is on https", async () => {
    const { service } = await serveVerifyPage({ IDENTITY_VERIFY_URL: "https://id.example/verify" });
    const { headers } = await fetch(`${service.url}/verify/overview`);
    expect(headers.get("strict-transport-security")).to.equal("max-age=31536000");
  });

  it("are not there when the configured page is somebody else's", async () => {
    for (const path of ["prove", "verify-me", "prove?back=/verify", "verify?tenant=7", "verify/prove"]) {
      const page = { IDENTITY_VERIFY_URL: `https://elsewhere.example/${path}` };
      const service = await startTestSigner({ ...stack.environment, ...page });
      expect((await fetch(`${service.url}/verify/overview`)).status, path).to.equal(404);
    }
  });

  it("are there when a proxy has put a host and a path before them", async () => {
    const verifyUrl = "https://id.example/identity/verify";
    for (const env of [
      { IDENTITY_VERIFY_URL: verifyUrl },
      { IDENTITY_PUBLIC_URL: "https://id.example/identity" },
      { IDENTITY_PUBLIC_URL: "https://id.example/identity", IDENTITY_VERIFY_URL: verifyUrl },
      { IDENTITY_PUBLIC_URL: "https://api.example", IDENTITY_VERIFY_URL: verifyUrl },
    ]) {
      const { port } = await startTestSigner({ ...stack.environment, ...env });
      const answer = await fetch(`http://127.0.0.1:${port}/verify/overview`);
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.include({ pageUrl: verifyUrl });
    }
  });
});

describe("One client's or wallet's sign-ins", () => {
  for (const [whose, limit, env] of [
    ["client", 20, { IDENTITY_RATE_LIMIT: "600" }],
    ["wallet", 5, { IDENTITY_WALLET_RATE_LIMIT: "30" }],
  ] as const) {
    it(`reach a provider ${limit} times a minute for one ${whose}, and go on after that`, async () => {
      stopTime();
      let asked = 0;
      const { url: provider } = await serveHttp((_request, response) => {
        asked++;
        response.writeHead(400, { "content-type": "application/json" }).end('{"error":"invalid_grant"}');
      });
      const { service } = await serveVerifyPage({ IDENTITY_MICROBLOG_BASE_URL: provider, ...env });
      const wallet = Wallet.createRandom();
      const comeBack = async (wallet: HDNodeWallet) => {
        const visitor = new Visitor(service.url, wallet);
        await visitor.signIn();
        const { body } = await visitor.act("prove", { provider: "microblog", query: "" });
        const state = new URL(body.location).searchParams.get("state");
        const callback = `${service.url}/verify/callback/microblog?code=c&state=${state}`;
        return { visitor, callback, response: await visitor.browser.request(callback) };
      };
      const next = () => comeBack(whose === "wallet" ? wallet : Wallet.createRandom());
      for (let i = 0; i < limit; i++) expect((await next()).response.status).to.equal(303);
      const { visitor, callback, response } = await next();
      expect(response.status).to.equal(429);
      expect(Number(response.headers.get("retry-after"))).to.be.within(1, 60);
      expect(response.headers.getSetCookie()).to.deep.equal([]);
      const wait = "There were too many sign-ins in a minute. Wait a minute, then continue.";
      expect(readPage(await response.text())).to.equal(
        `${wait}: Identity service ${new URL(service.url).host} English [${inSpanish(callback)}] Español ${wait} [] Continue`,
      );
      expect(asked).to.equal(limit);
      expect((await visitor.overview()).body.proof).to.include({ step: "started" });
      if (whose === "wallet") expect((await comeBack(Wallet.createRandom())).response.status).to.equal(303);
      expect(await readMetric(service.url, 'identity_rate_limited_total{limit="sign_ins"}')).to.equal(1);
      const lines = service.log.map((line) => JSON.parse(line)).filter(({ status }) => status === 429);
      expect(lines.map(({ route, code }) => [route, code])).to.deep.equal([
        ["/verify/callback/:provider", "rate_limited"],
      ]);
      // Nothing was spent.
      passTime(60_000);
      expect((await visitor.browser.request(callback)).status).to.equal(303);
    });
  }
});
