import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { expect } from "chai";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { instagram } from "../../fixtures/providers/instagram.ts";
import { environmentOf, serveProvider } from "../../fixtures/providers/prove.ts";
import type { Behaviour, Rules } from "../../fixtures/providers/standIn.ts";
import { tikTok } from "../../fixtures/providers/tikTok.ts";
import { x } from "../../fixtures/providers/x.ts";
import { ScriptedBrowser } from "../../fixtures/signer/scriptedBrowser.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("identity-signer provider try", function () {
  this.timeout(60_000);

  const start = (args: readonly string[], env: NodeJS.ProcessEnv) =>
    spawnIdentitySigner(["provider", "try", ...args], env);

  /** The status that a path gets, which `fetch` would not send as it is. */
  const statusOf = (port: number, path: string) =>
    new Promise((resolve, reject) => {
      get({ port, path }, (response) => resolve(response.resume().statusCode)).once("error", reject);
    });

  /** One try at a stand-in with a callback on this machine. Answers what was printed. */
  async function tryAt(name: string, rules: Rules, behaviour: Behaviour = {}, env: NodeJS.ProcessEnv = {}) {
    const port = await findFreePort();
    const standIn = await serveProvider(name, rules, `http://127.0.0.1:${port}/verify/callback/${name}`);
    standIn.behaviour = behaviour;
    const tried = start([name], { ...environmentOf(name, standIn), IDENTITY_PORT: String(port), ...env });
    const url = await tried.waitFor(/^http\S+$/m);
    const icon = await fetch(`http://127.0.0.1:${port}/favicon.ico`);
    expect([icon.status, await icon.text()]).to.deep.equal([404, "Not found"]);
    const posted = await fetch(`http://127.0.0.1:${port}/verify/callback/${name}?code=1`, { method: "POST" });
    expect(posted.status).to.equal(404);
    // No URL has this path, and a scanner asks for it.
    expect(await statusOf(port, "//")).to.equal(404);
    const { status, body } = await new ScriptedBrowser().visit(url);
    const closing = "The terminal has the result. You can close this page.";
    expect([status, body]).to.deep.equal([200, closing]);
    const code = await tried.waitForEnd();
    const output = tried.output().replace(url, "<url>").replaceAll(standIn.url, "<provider>");
    expect(output).not.to.match(/alice|2244994945|-000s7Yy1V|915770042/i);
    expect(output).not.to.include(standIn.clientSecret);
    return { code, port, output: output.replaceAll(new URL(standIn.url).host, "<host>"), standIn };
  }

  it("prints each step of a sign-in with the provider's answer, and neither a secret nor the account", async () => {
    const { code, port, output, standIn } = await tryAt("microblog", x);
    expect(output).to.equal(`provider   microblog, asked for users.read, tweet.read
callback   http://127.0.0.1:${port}/verify/callback/microblog; register it with the app exactly as shown
sign in    <provider>/i/oauth2/authorize

Open this address, and sign in:
<url>

If the provider's page shows an error, report its text, and stop with Ctrl-C.

came back  with code, state
asked      <host>/2/oauth2/token: 200
granted    users.read tweet.read
asked      <host>/2/users/me: 200
account    an id of 10 characters, a name
read       followers, verified, verified_type
result     works; nothing was stored
asked      <host>/2/oauth2/revoke: 200
`);
    expect([code, standIn.countTokens()]).to.deep.equal([0, 0]);
  });

  it("names the traits that the provider did not tell", async () => {
    const { code, output } = await tryAt("short_video", tikTok, { account: { likes_count: null } });
    expect(code, output).to.equal(0);
    expect(output).to.match(/^read +follower_count, following_count, video_count$/m);
    expect(output).to.match(/^not told +likes_count$/m);
  });

  it("says that the provider keeps a token that it was asked to revoke", async () => {
    const [place = ""] = x.revocation ?? [];
    const { code, output } = await tryAt("microblog", {
      ...x,
      revocation: [place, { status: 500, body: "{}" }],
    });
    expect(code, output).to.equal(0);
    expect(output).to.match(/^revoked +no: .*500/m);
  });

  const failures: readonly (readonly [string, string, Rules, Behaviour, RegExp])[] = [
    ["a denial", "microblog", x, { deny: true }, /^came back +with error, state\nresult +denied: .*denied/m],
    [
      "a wrong secret",
      "microblog",
      x,
      { newSecret: true },
      /token: 401 unauthorized_client\nresult +not_set_up: /,
    ],
  ];
  for (const [what, name, rules, behaviour, says] of failures) {
    it(`fails with the provider's own code after ${what}`, async () => {
      const { code, output } = await tryAt(name, rules, behaviour);
      expect(code).to.equal(1);
      expect(output).to.match(says);
    });
  }

  it("tries a connector as the operator has corrected it", async () => {
    const file = join(await temporaryFolder(), "connectors.mjs");
    await writeFile(file, 'export default { short_video: { codeChallenge: "base64url" } }');
    const { code, output } = await tryAt("short_video", tikTok, {}, { IDENTITY_CONNECTORS: file });
    expect(code).to.equal(1);
    expect(output).to.match(/token\/: 200 invalid_request\nresult +refused: /);
  });

  it("accepts the address at which the browser ended if the callback is on another machine", async () => {
    const standIn = await serveProvider("photo_social", instagram("list"), "https://identity.example/try");
    const env = environmentOf("photo_social", standIn);
    const tried = start(["photo_social", "--callback", "https://identity.example/try"], env);
    const url = await tried.waitFor(/^http\S+$/m);
    await tried.waitFor(/paste the browser's final address/);
    const until = (next: URL) => next.hostname === "identity.example";
    const back = await new ScriptedBrowser().visit(url, { until });
    tried.process.stdin?.write("https://identity.example/verify?ended=true\n");
    await tried.waitFor(
      /That is not https:\/\/identity\.example\/try with a query\. If a service at that address took it, register another callback, and name it with --callback\.\n/,
    );
    // As Instagram ends it.
    tried.process.stdin?.write(`${back.url}#_\n`);
    expect(await tried.waitForEnd(), tried.output()).to.equal(0);
    expect(tried.output()).to.match(/^read +followers_count, username$/m);
    const left = start(["photo_social", "--callback", "https://identity.example/try"], env);
    await left.waitFor(/paste the browser's final address\. Ignore the page that it shows\.\n/);
    left.process.stdin?.end("https://identity.example/try\n");
    expect([await left.waitForEnd(), left.output().split("\n").at(-2)]).to.deep.equal([
      1,
      "The browser's final address is missing.",
    ]);
  });

  it("reports a wrong command in one line", async () => {
    const run = async (args: string[], env: NodeJS.ProcessEnv) =>
      (await runIdentitySigner(["provider", "try", ...args], env)).output;
    const env = environmentOf("microblog", { clientId: "m", clientSecret: "s", url: "https://x.example" });
    expect(await run(["nothing"], env)).to.equal(
      'provider try needs the name of a configured provider (microblog), got "nothing".\n',
    );
    expect(await run(["microblog", "more"], env)).to.include('(microblog), got "microblog more".');
    expect(await run(["microblog"], {})).to.include("a configured provider (none)");
    for (const callback of [
      "http://identity.example/",
      "https://a.example/?b",
      "https://a.example/#b",
      "http://127.0.0.1:0/",
    ])
      expect(await run(["microblog", "--callback", callback], env)).to.equal(
        `The callback must be an https URL, or http at a port of 127.0.0.1 or localhost, without query, got "${callback}". Pass one as --callback.\n`,
      );
    const taken = await serveHttp(() => undefined);
    expect(await run(["microblog", "--callback", `${taken.url}/cb`], env)).to.include(
      `Cannot listen at ${new URL(taken.url).host} (EADDRINUSE). Stop the program that uses this port, such as the service, or pass another URL as --callback.\n`,
    );
    expect(await run(["microblog"], { ...env, IDENTITY_HOST: "::1" })).to.include(
      'got "http://[::1]:3000/verify/callback/microblog". Pass one',
    );
    const broken = { ...env, IDENTITY_MICROBLOG_CLIENT_SECRET: "", IDENTITY_PORT: "http" };
    expect(await run(["microblog"], broken))
      .to.include("IDENTITY_MICROBLOG_CLIENT_SECRET")
      .and.include("IDENTITY_PORT must be");
  });
});
