import { once } from "node:events";
import { connect } from "node:net";
import { expect } from "chai";
import { network } from "hardhat";
import { createMemoryAdapter } from "../../../packages/dev/sandbox/internal/memoryAdapter.ts";
import { startSandbox } from "../../../packages/dev/sandbox/sandbox.ts";
import type { ProviderName } from "../../../packages/protocol/catalogue.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { ProviderFailure } from "../../../packages/verify-page/providers/failure.ts";
import { proveAccount, startAuthorization } from "../../../packages/verify-page/providers/oauth.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { answerSandbox, ScriptedBrowser } from "../../fixtures/signer/scriptedBrowser.ts";
import { plain, wholeHead } from "../../fixtures/wholeHead.ts";

const isBack = (next: URL) => next.hostname === "localhost";

/** A sandbox, and a way to it. */
async function fixture() {
  const { provider: node } = await network.create("identityLocal");
  const sandbox = await startSandbox({ node });
  onCleanup(() => sandbox.close());

  /** Comes from a verify page to the page of a provider, or as far as one gets. */
  async function arrive(
    provider: ProviderName = "microblog",
    { host = "localhost:3000", correction = {}, browser = new ScriptedBrowser() } = {},
  ) {
    const client = sandbox.clients[provider];
    const connector = { ...connectors[provider], ...correction };
    const redirectUri = `http://${host}/verify/callback/${provider}`;
    const { url, ...started } = startAuthorization({ connector, client, redirectUri });
    const page = await browser.visit(url, { until: isBack });
    const answer = (form: Record<string, string>) => answerSandbox(browser, page, form, isBack);
    return { browser, page, answer, url, proof: { connector, client, ...started } };
  }
  return { sandbox, arrive };
}

describe("the sandbox identity provider", () => {
  it("refuses a chain that is not a local node", async () => {
    const node = {
      async request({ method }: { method: string }) {
        if (method === "eth_chainId") return "0x14a34";
        throw new Error("the method does not exist");
      },
    };
    const error = await rejection(startSandbox({ node }).then((sandbox) => sandbox.close()));
    expect(error).to.be.instanceOf(InvalidInputError);
  });

  it("tells the account that was chosen without losing a digit, for a code that is used once, or that it was denied", async () => {
    const { arrive } = await fixture();
    const [denying, creating] = [await arrive(), await arrive()];
    const followers = "123456789012345678901";
    const form = { action: "invent", accountId: " 7 ", "trait.followers": followers };
    const { url: callbackUrl } = await creating.answer(form);
    // Without a revocation, which ends what the code was for, too.
    const { revocationEndpoint: _, ...connector } = creating.proof.connector;
    const input = { ...creating.proof, connector, callbackUrl };
    const account = { accountId: "7", accountName: "7", traits: { followers } };
    expect(await proveAccount(input)).to.deep.include(account);
    expect(await rejection(proveAccount(input))).to.be.instanceOf(ProviderFailure);
    const { url: denied } = await denying.answer({ action: "refuse" });
    expect(denied.searchParams.get("error")).to.equal("access_denied");
  });

  it("asks who one is at every sign-in, and refuses what it cannot read", async () => {
    const { arrive } = await fixture();
    const browser = new ScriptedBrowser();
    for (let round = 0; round < 2; round++) {
      const { page, answer } = await arrive("microblog", { browser });
      expect(page.body).to.include("Sign in to Microblog");
      const again = await answer({ action: "invent", accountId: "<b>", "trait.followers": "many" });
      expect(again.body).to.include("Followers must be a whole number");
      for (const typed of ['value="&#60;b&#62;"', 'value="many"']) expect(again.body).to.include(typed);
      const done = await answer({ action: "pick", pick: "1002" });
      expect(done.url.searchParams.get("code")).to.be.a("string");
    }
  });

  it("says what went wrong, and leads back to the verify page", async () => {
    const { sandbox, arrive } = await fixture();
    const { browser, page, answer } = await arrive();
    for (const [form, problem] of [
      [
        { action: "pick" },
        '<p role="alert" class="problem" tabindex="-1" autofocus>Choose one of the users.',
      ],
      [{ action: "invent" }, "Enter an account id."],
      [
        { action: "invent", accountId: "1", "trait.verified": "maybe" },
        "Verified by the platform must be yes or no.",
      ],
      [
        { action: "invent", accountId: "1", "trait.followers": "-5" },
        "Followers must be a whole number in digits only",
      ],
    ] as const) {
      const again = await answer(form);
      expect(again.body).to.include(problem);
    }
    await answer({ action: "pick", pick: "1001" });
    expect((await browser.visit(page.url)).body)
      .to.include("This sign-in is done")
      .and.match(
        /href="http:\/\/localhost:\d+\/verify\?ended=true">Go to the verify page at localhost:\d+<\/a>/,
      );
    const unknown = await browser.visit(`${sandbox.url}/microblog/sign-in/unknown`);
    expect(unknown.body)
      .to.include("This sign-in has ended")
      .and.match(/>Go to the verify page at localhost/);
    const url = new URL((await arrive()).url);
    url.searchParams.set("redirect_uri", "http://10.0.0.1/");
    expect((await browser.visit(url)).body)
      .to.include("The sandbox refuses this request")
      .and.match(/<small>For its developers: redirect_uri /);
  });

  it("fails as each provider can, where the person chooses that", async () => {
    const { arrive } = await fixture();
    const any = { limit: "rate_limited", timeout: "timeout" } as const;
    const half = { ...any, halfConsent: "partly_denied" } as const;
    for (const [provider, failures] of Object.entries({
      microblog: { ...half, suspended: "account_blocked" },
      exchange: half,
      photo_social: { ...any, suspended: "account_blocked" },
      short_video: half,
    })) {
      const { page } = await arrive(provider as ProviderName);
      const offered = [...page.body.matchAll(/name="failure" value="(\w+)"/g)].map(([, name]) => name);
      expect(offered, provider).to.deep.equal(Object.keys(failures));
      for (const [failure, reason] of Object.entries(failures)) {
        const { answer, proof } = await arrive(provider as ProviderName);
        const { url: callbackUrl } = await answer({ failure });
        const failed = await rejection(proveAccount({ ...proof, callbackUrl, timeoutSeconds: 1 }));
        expect(failed, `${provider} ${failure}: ${failed.message}`).to.include({ reason });
      }
      expect((await arrive(provider as ProviderName)).page.body).not.to.include("Continue as limit");
    }
  }).timeout(60_000);

  // cspell:ignore Continuar Seguidores usuarios prueba Página encontrada
  it("speaks the language that the verify page asks for, or the browser's, or the one chosen on it", async () => {
    const { sandbox, arrive } = await fixture();
    const { browser, url } = await arrive();
    const asked = new URL(url);
    asked.searchParams.set("ui_locales", "fr es-ES en");
    const { body, url: there } = await browser.visit(asked);
    expect(body).to.include('<html lang="es">').and.include("Continuar como Alice").and.include("Seguidores");
    const changed = await browser.visit(`${there}?language=en`);
    expect(changed.body).to.include("Continue as Alice");
    const headers = { "accept-language": "es" };
    expect(await (await fetch(sandbox.url, { headers })).text()).to.include("usuarios de prueba");
  });

  it("has every colour that the style of its page names, those of the fields' edges among them", async () => {
    const { page } = await (await fixture()).arrive();
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page.body) ?? [];
    const named = [...style.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name);
    const set = [...style.matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
    expect(named).to.include("--edge");
    expect(set).to.include.members(named);
  });

  it("answers a wrong form with a redirect, so that Back and reload show its page again", async () => {
    const { arrive } = await fixture();
    const { browser, page } = await arrive();
    // The next id that nobody has.
    expect(page.body).to.match(/<input id="accountId"[^>]*value="1003"/);
    const body = new URLSearchParams({ action: "invent", accountId: "", "trait.followers": "many" });
    const response = await browser.request(page.url, { method: "POST", body });
    expect(response.status).to.equal(303);
    expect(new URL(response.headers.get("location") ?? "", page.url).href).to.equal(page.url.href);
    for (const time of ["after the redirect", "reloaded"]) {
      const again = await browser.visit(page.url);
      expect(again.status, time).to.equal(200);
      for (const said of [
        'value="many"',
        "Followers must be a whole number",
        "Enter an account id.",
        " open>",
      ])
        expect(again.body, time).to.include(said);
      // The button to go on with is that of the form, and a screen reader starts at what is wrong first.
      const main = again.body.match(/<button name=.*?>/g)?.join();
      expect(main, time).to.equal('<button name="action" value="invent">');
      const wrong = again.body.matchAll(/id="([^"]*)"[^>]* aria-invalid="true"[^>]*?( autofocus)?$/gm);
      const fields = [...wrong].map(([, id, focus = ""]) => id + focus);
      expect(fields, time).to.deep.equal(["accountId autofocus", "trait-followers"]);
    }
  });

  it("has a page for an address that it does not have, which says where to start", async () => {
    const { sandbox, arrive } = await fixture();
    for (const path of ["/nothing", "/microblog", "/microblog/nothing"]) {
      const headers = { accept: "text/html,*/*;q=0.8", "accept-language": "es" };
      const response = await fetch(`${sandbox.url}${path}`, { headers });
      expect(response.status, path).to.equal(404);
      expect(await response.text(), path).to.include("<h1>Página no encontrada</h1>");
    }
    // Once somebody has come from a verify page, there is a way back to it.
    await arrive("exchange", { host: "127.0.0.1:1" });
    await arrive();
    for (const path of ["/", "/nothing", "/exchange/nothing"]) {
      const response = await fetch(`${sandbox.url}${path}`, { headers: { accept: "text/html" } });
      expect(await response.text(), path).to.match(
        /href="http:\/\/localhost:\d+\/verify">Go to the verify page at localhost/,
      );
    }
  });

  it("says at its own address what it is, and where to read more", async () => {
    const { sandbox, arrive } = await fixture();
    const response = await fetch(sandbox.url);
    expect(response.status).to.equal(200);
    expect(wholeHead(response, ["etag"])).to.deep.equal({ ...plain, vary: "Accept-Language" });
    // In the service's own colour, and not in a mark's: it is no provider's page.
    const coloured = /--accent:#14171a/;
    expect((await arrive()).page.body).to.match(coloured);
    expect(await response.text())
      .to.include("This sandbox stands in for the providers")
      .and.include("docs/providers.md#the-sandbox")
      .and.not.match(coloured);
    // Nobody else in the network may be anybody.
    const { port } = new URL(sandbox.url);
    expect((await rejection(fetch(`http://127.0.0.2:${port}`))).message).to.equal("fetch failed");
    // It stops at once, though somebody has a request half sent.
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: ");
    await once(socket, "connect");
    await fetch(sandbox.url);
    await Promise.all([once(socket, "close"), sandbox.close()]);
  });

  it("answers a program in JSON or plain text at an address that a provider does not have", async () => {
    const { sandbox } = await fixture();
    const response = await fetch(`${sandbox.url}/microblog/nothing`, {
      headers: { accept: "application/json" },
    });
    expect(response.status).to.equal(404);
    expect(response.headers.get("content-type")).not.to.include("html");
  });

  it("refuses the forms that the providers refuse", async () => {
    const { sandbox, arrive } = await fixture();
    const { microblog } = sandbox.clients;
    const visit = async (correction: object) => (await arrive("short_video", { correction })).page.status;
    expect(await visit({})).to.equal(200);
    for (const codeChallenge of ["base64url", "none"])
      expect(await visit({ codeChallenge }), codeChallenge).not.to.equal(200);
    expect(await visit({ clientIdParameter: undefined })).not.to.equal(200);
    const ask = async (id: string) => {
      const credentials = Buffer.from(`${id}:${microblog.clientSecret}`).toString("base64");
      const response = await fetch(`${microblog.baseUrl}/2/oauth2/token`, {
        method: "POST",
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: "authorization_code", code: "c", redirect_uri: "r" }),
      });
      return Object(await response.json()).error;
    };
    expect(await ask(microblog.clientId)).to.equal("invalid_grant");
    expect(await ask(microblog.clientId.replace("-", "%2D"))).not.to.equal("invalid_grant");
  });

  it("sends people back to loopback alone", async () => {
    const { arrive } = await fixture();
    for (const host of ["127.0.0.1:1", "[::1]:1"])
      expect((await arrive("microblog", { host })).page.status, host).to.equal(200);
    const { page } = await arrive("microblog", { host: "10.0.0.1" });
    expect(page.status).to.equal(400);
    expect(page.url.hostname).to.equal("127.0.0.1");
  });
});

describe("The sandbox's memory", () => {
  it("forgets everything of a grant that is revoked, and nothing of another", async () => {
    const adapters = createMemoryAdapter();
    const [codes, tokens] = [adapters("AuthorizationCode"), adapters("AccessToken")];
    await codes.upsert("1", { grantId: "alice" }, 60);
    await tokens.upsert("2", { grantId: "alice" }, 60);
    await tokens.upsert("3", { grantId: "bob" }, 60);
    await tokens.revokeByGrantId("alice");
    expect([await codes.find("1"), await tokens.find("2")]).to.deep.equal([undefined, undefined]);
    expect(await tokens.find("3")).to.deep.equal({ grantId: "bob" });
  });
});
