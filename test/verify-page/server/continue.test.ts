import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

const alice = { action: "pick", pick: "1001" };
const ofBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "accept-language": "es" };

describe("A person who opens an address of the service", () => {
  it("and comes back from a provider while the store is away, can go on once it is there again", async () => {
    const { service } = await serveVerifyPage();
    const visitor = new Visitor(service.url);
    await visitor.signIn();
    const callback = await visitor.goToProvider("microblog", alice);
    const headers = { ...ofBrowser, cookie: visitor.browser.cookies(callback) };
    const database = new DatabaseSync(service.config.databaseUrl.slice("file:".length));
    database.exec("alter table spent_nonces rename to elsewhere");
    const away = await fetch(callback, { headers, redirect: "manual" });
    expect([away.status, away.headers.get("content-type"), away.headers.get("retry-after")]).to.deep.equal([
      503,
      "text/html; charset=utf-8",
      "2",
    ]);
    const page = await away.text();
    expect(page)
      // cspell:disable-next-line
      .to.include("El servicio no puede responder ahora mismo.")
      .and.include('<a class="button" href="">');
    expect(away.headers.get("content-security-policy")).to.include("default-src 'none'");
    expect(service.log.join()).to.include('"code":"store_unavailable"');
    const ofProgram = await fetch(callback, { headers: { cookie: headers.cookie }, redirect: "manual" });
    expect([ofProgram.status, Object(await ofProgram.json()).code]).to.deep.equal([503, "store_unavailable"]);
    database.exec("alter table elsewhere rename to spent_nonces");
    database.close();
    const again = await fetch(callback, { headers, redirect: "manual" });
    expect([again.status, again.headers.get("location")]).to.deep.equal([303, `${service.url}/verify`]);
  });

  it("after too many requests, is asked to wait, while an app gets the problem", async () => {
    const { service } = await serveVerifyPage({ IDENTITY_RATE_LIMIT: "1" });
    const open = (headers: Record<string, string>) => fetch(`${service.url}/verify`, { headers });
    await open(ofBrowser);
    const page = await open({ ...ofBrowser, "accept-language": "en" });
    expect([page.status, Number(page.headers.get("retry-after")) > 0]).to.deep.equal([429, true]);
    expect(await page.text()).to.include(
      "The service cannot answer right now. Wait a moment, then continue.",
    );
    expect(Object(await (await open({})).json()).code).to.equal("rate_limited");
  });
});
