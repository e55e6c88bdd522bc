import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { holdTimeLimits } from "../../fixtures/holdTimers.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { passTime } from "../../fixtures/passTime.ts";
import { readMetric, startTestSigner } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("A provider that fails while an account is proven", () => {
  /** A stand-in for a provider whose token endpoint answers as told. */
  async function fixture() {
    const answer = { status: 200, body: "{}" };
    /** The path at which nothing is answered, and how often that was asked for. */
    const silent = { at: "", asked: 0 };
    const held: (() => void)[] = [];
    const { url: baseUrl } = await serveHttp(({ url = "" }, response) => {
      const end = () =>
        response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
      if (silent.at === "" || !url.startsWith(silent.at)) return void end();
      silent.asked++;
      held.push(end);
    });
    const release = () => {
      silent.at = "";
      for (const end of held.splice(0)) end();
    };
    const { service, startReplica } = await serveVerifyPage({ IDENTITY_MICROBLOG_BASE_URL: baseUrl });
    const visitor = new Visitor(service.url);
    await visitor.signIn();

    async function go(extra: Record<string, string> = { code: "the-secret-code" }) {
      const { body } = await visitor.act("prove", { provider: "microblog", query: "state=mine" });
      const callback = new URL(`${service.url}/verify/callback/microblog`);
      const state = new URL(body.location).searchParams.get("state") ?? "";
      callback.search = new URLSearchParams({ ...extra, state }).toString();
      return callback;
    }

    async function goAndComeBack(extra?: Record<string, string>) {
      const callback = await go(extra);
      const { url } = await visitor.browser.visit(callback, { until: (next) => next.pathname === "/verify" });
      expect(url.search).to.equal("?state=mine");
      return (await visitor.overview(url.search.slice(1))).body;
    }
    return { service, startReplica, visitor, answer, silent, release, go, goAndComeBack };
  }

  it("leaves the store unchanged, and gives the person a retry and the operator a metric and a line", async () => {
    const { service, visitor, answer, goAndComeBack } = await fixture();
    const cases = [
      { status: 503, body: "{}", reason: "provider_error", says: "503" },
      { status: 400, body: '{"error":"invalid_grant"}', reason: "expired", says: '400 "invalid_grant"' },
    ];
    for (const { reason, says, ...told } of cases) {
      Object.assign(answer, told);
      const { proof, accounts } = await goAndComeBack();
      expect(proof).to.include({ step: "failed", provider: "microblog", reason });
      expect(accounts).to.deep.equal([]);
      expect((await visitor.act("keep")).status).to.equal(409);
      const name = `identity_provider_sign_ins_total{provider="microblog",outcome="${reason}"}`;
      expect(await readMetric(service.url, name)).to.equal(1);
      const lines = service.log.filter((line) => line.includes(`"reason":"${reason}"`));
      expect(lines).to.have.length(1);
      const line = JSON.parse(lines[0] ?? "");
      expect(line).to.include({ level: 40, provider: "microblog" });
      expect(line.detail).to.match(new RegExp(`/2/oauth2/token answers ${says}\\.$`));
    }
  });

  it("is asked once for a browser that comes back twice, as by a reload, and tells both the same", async () => {
    const { service, visitor, answer, silent, release, go } = await fixture();
    Object.assign(answer, { status: 503 });
    silent.at = "/2/oauth2/token";
    const callback = await go();
    const cookie = visitor.browser.cookies(callback);
    const left = new AbortController();
    const first = fetch(callback, { headers: { cookie }, redirect: "manual", signal: left.signal });
    while (silent.asked === 0) await setImmediate();
    left.abort();
    await first.catch(() => undefined);
    const again = visitor.browser.request(callback);
    // Asked later, and answered earlier.
    for (const _time of [1, 2, 3]) await visitor.overview();
    release();
    expect((await again).headers.get("location")).to.equal(`${service.url}/verify?state=mine`);
    const { proof } = (await visitor.overview("state=mine")).body;
    expect(proof).to.include({ step: "failed", reason: "provider_error" });
    expect(silent.asked).to.equal(1);
    const name = 'identity_provider_sign_ins_total{provider="microblog",outcome="provider_error"}';
    expect(await readMetric(service.url, name)).to.equal(1);
    expect((await visitor.browser.request(callback)).headers.get("location")).to.include("ended=used");
  });

  it("is asked once for a browser that comes back to another replica meanwhile, which says to start again", async () => {
    const { service, startReplica, visitor, silent, release, go } = await fixture();
    const replica = await startReplica({ IDENTITY_VERIFY_URL: service.verifyUrl });
    silent.at = "/2/oauth2/token";
    const callback = await go();
    const headers = { cookie: visitor.browser.cookies(callback) };
    const first = visitor.browser.request(callback);
    while (silent.asked === 0) await setImmediate();
    const elsewhere = `${replica.url}${callback.pathname}${callback.search}`;
    const again = await fetch(elsewhere, { headers, redirect: "manual" });
    expect(again.headers.get("location")).to.equal(`${service.verifyUrl}?ended=used&state=mine`);
    release();
    expect((await first).headers.get("location")).to.equal(`${service.verifyUrl}?state=mine`);
    expect(silent.asked).to.equal(1);
  });

  it("has eight seconds for all its answers together", async () => {
    const { answer, silent, goAndComeBack } = await fixture();
    answer.body = '{"access_token":"the-token","token_type":"bearer"}';
    for (const path of ["/2/oauth2/token", "/2/users"]) {
      const { limits, end } = holdTimeLimits();
      Object.assign(silent, { at: path, asked: 0 });
      const back = goAndComeBack();
      while (silent.asked === 0) await setImmediate();
      const limitsOfSignIn = limits.filter((limit) => limit === 8_000);
      end();
      expect((await back).proof).to.include({ step: "failed", reason: "timeout" });
      expect(limitsOfSignIn, path).to.have.length(1);
    }
  });

  it("is distinguished from a person who refuses", async () => {
    const { goAndComeBack } = await fixture();
    expect((await goAndComeBack({ error: "access_denied" })).proof.reason).to.equal("denied");
    expect((await goAndComeBack({ error: "temporarily_unavailable" })).proof.reason).to.equal(
      "provider_error",
    );
    expect((await goAndComeBack({ error: "invalid_scope" })).proof.reason).to.equal("not_set_up");
    expect((await goAndComeBack({ error: "user_cancelled_login" })).proof.reason).to.equal("denied");
    expect((await goAndComeBack({ error: "a_word_of_its_own" })).proof.reason).to.equal("refused");
    expect((await goAndComeBack({})).proof.reason).to.equal("bad_answer");
  });

  it("logs no code, token, account id, wallet or cookie", async () => {
    const { service, visitor, answer, goAndComeBack } = await fixture();
    Object.assign(answer, { status: 200, body: '{"access_token":"the-token","token_type":"bearer"}' });
    await goAndComeBack();
    await goAndComeBack({ error: "the-words-of-a-stranger", error_description: "more-of-their-words" });
    await goAndComeBack({ error: "consent_required" });
    for (const error of ["the words of a provider", "the-secret-code", "1234567"]) {
      Object.assign(answer, { status: 400, body: JSON.stringify({ error }) });
      await goAndComeBack();
    }
    const log = service.log.join("");
    expect(log)
      .to.include("callback")
      .and.include('has the error \\"other\\"')
      .and.include("consent_required");
    expect(log.match(/answers 400 \\"other\\"/g)).to.have.length(3);
    expect(log).not.to.include("words");
    const cookies = visitor.browser.cookies(new URL(service.url));
    for (const secret of ["the-secret-code", "the-token", visitor.wallet.address, cookies.slice(20, 60)]) {
      expect(log).not.to.include(secret);
    }
  });
});

describe("A node that fails while an account is proven", () => {
  it("is reported as the node's failure, not the provider's, and keeps nobody from another sign-in", async () => {
    const { environment, rpcUrl } = await serveVerifyPage();
    const node = await serveProxy(rpcUrl);
    const service = await startTestSigner({ ...environment, IDENTITY_RPC_URL: node.url });
    const visitor = new Visitor(service.url);
    await visitor.signIn();
    const callback = await visitor.goToProvider("microblog", { action: "pick", pick: "1001" });
    node.behaviour.answer = (_method, answer) => {
      delete answer.result;
      answer.error = { code: -32603, message: "the disk is full" };
    };
    const response = await visitor.browser.request(callback);
    expect(response.status).to.equal(503);
    expect(await response.json()).to.include({ code: "chain_unavailable" });
    expect((await visitor.overview()).body.proof).not.to.include({ step: "failed" });
    passTime(1_000);
    expect((await visitor.act("prove", { provider: "microblog", query: "" })).status).to.equal(200);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).not.to.match(/identity_provider_sign_ins_total.+ 1\n/);
  });
});
