import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { findBundles } from "../../../web/server/bundles.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { serveApp } from "../../fixtures/web/appPage.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { openBrowser, type Person } from "../../fixtures/web/person.ts";

/** An answer as it was sent: `fetch` would unpack it. */
async function rawGet(url: string, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers }), "response")) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

describe("The verify page under attack, in a browser", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  async function signIn({ page }: Person, query = ""): Promise<void> {
    await page.goto(`${stack.service.url}/verify${query}`);
    await page.getByRole("button", { name: /^Test wallet/ }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: /^(Prove an account|Your accounts)$/, level: 1 }).waitFor();
  }

  async function prove({ page }: Person, label: string, account: string): Promise<void> {
    await page.getByRole("button", { name: `Prove your ${label} (sandbox) account` }).click();
    await page.getByRole("radio", { name: account }).check();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Is this right?" }).waitFor();
  }

  it("is not shown inside another page", async () => {
    const person = await openBrowser(browser());
    const frame = `<iframe src="${stack.service.url}/verify"></iframe>`;
    await person.page.goto(await serveApp(`<!doctype html><title>Evil</title>${frame}`));
    const [, child] = person.page.frames();
    expect(child).not.to.equal(undefined);
    expect(child?.url()).to.match(/^chrome-error:/);
    expect(person.complaints.join()).to.include("frame-ancestors");
  });

  it("runs no script that was put into it", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await page.goto(`${stack.service.url}/verify`);
    await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
    await page.evaluate(`{
      const add = (script) => document.body.append(Object.assign(document.createElement("script"), script));
      add({ textContent: "window.injected = 'inline'" });
      add({ src: "data:text/javascript,window.injected='data'" });
      add({ src: "https://evil.example/x.js" });
      document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror=\\"window.injected='handler'\\">");
      document.body.append(Object.assign(document.createElement("a"), { href: "javascript:window.injected='link'", id: "bad" }));
      document.getElementById("bad").click();
    }`);
    await page.waitForFunction("true");
    expect(await page.evaluate("window.injected")).to.equal(undefined);
    expect(person.requests.filter((url) => url.includes("evil.example"))).to.deep.equal([]);
  });

  it("shows what a provider and a wallet say as text, whatever it looks like", async () => {
    const html = `<img src=x onerror="window.injected=1"><script>window.injected=1</script>`;
    const mallory = { accountId: "m", name: "Mallory", traits: { username: html, followers_count: "1" } };
    stack.sandbox.accounts.photo_social.set("m", mallory);
    const person = await openBrowser(browser());
    const { page } = person;
    await page.addInitScript(`addEventListener("eip6963:requestProvider", () => {
      const announce = (uuid, icon) => dispatchEvent(new CustomEvent("eip6963:announceProvider", {
        detail: { info: { uuid, name: "<b>Evil</b> wallet", icon, rdns: "evil.example" }, provider: {} },
      }));
      announce("1", "https://evil.example/icon.svg");
      announce("2", "javascript:alert(1)");
    })`);
    await page.goto(`${stack.service.url}/verify`);
    const evil = page.getByRole("button", { name: "<b>Evil</b> wallet" });
    await evil.nth(1).waitFor();
    expect(await evil.count()).to.equal(2);
    expect(await page.locator("button.choice", { hasText: "Evil" }).locator("img").count()).to.equal(0);
    await signIn(person);
    await prove(person, "Photo social", "Mallory");
    await page.getByText(html, { exact: true }).waitFor();
    expect(await page.evaluate("window.injected")).to.equal(undefined);
    expect(person.requests.filter((url) => url.includes("evil.example"))).to.deep.equal([]);
    expect(person.complaints).to.deep.equal([]);
  });

  it("does nothing that a page of the same site asks for with the person's cookies", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await signIn(person);
    await prove(person, "Microblog", "Alice");
    await page.getByRole("button", { name: "Store it", exact: true }).click();
    await page.getByRole("article", { name: /Microblog/ }).waitFor();

    // Another port of 127.0.0.1 is the same site to a browser: it sends the cookies along.
    const sent = stack.service.log.length;
    await page.goto(await serveApp());
    const outcomes = await page.evaluate(`Promise.all(["erase", "sign-out", "keep", "message"].map((path) =>
      Promise.all(["no-cors", "cors"].map((mode) =>
        fetch("${stack.service.url}/verify/" + path, {
          method: "POST",
          mode,
          credentials: "include",
          headers: { "content-type": mode === "cors" ? "application/json" : "text/plain" },
          body: JSON.stringify({ provider: "microblog" }),
        }).then((response) => response.type, () => "blocked"),
      )),
    ))`);
    expect(outcomes).to.deep.equal(Array(4).fill(["blocked", "blocked"]));
    const refused = stack.service.log.slice(sent).filter((line) => line.includes('"code":"foreign_origin"'));
    expect(refused).to.have.length(8);

    await page.goto(`${stack.service.url}/verify`);
    await page.getByRole("article", { name: /Microblog/ }).waitFor();
  });

  it("tells the address it was opened with to nobody it sends the person to", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const referrers: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(stack.sandbox.url)) referrers.push(request.headers().referer);
    });
    await signIn(person, "?state=secret&redirect_uri=https://unknown.example/secret");
    await page.getByRole("button", { name: /^Prove your Microblog/ }).click();
    await page.getByRole("heading", { name: /who are you/ }).waitFor();
    expect(referrers.filter((referrer) => referrer?.includes("/verify"))).to.deep.equal([]);
    expect(referrers).not.to.deep.equal([]);
  });

  it("comes with its security headers, and its scripts may be kept by the browser", async () => {
    const page = await fetch(`${stack.service.url}/verify`);
    const html = await page.text();
    expect(page.status).to.equal(200);
    expect(page.headers.get("content-security-policy")).to.include("script-src 'self'; style-src 'self'");
    expect(page.headers.get("x-frame-options")).to.equal("DENY");
    expect(page.headers.get("cache-control")).to.equal("no-store");
    expect(html).not.to.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    const [, script] = /src="(verify\/assets\/[^"]+\.js)"/.exec(html) ?? [];
    const asset = await fetch(`${stack.service.url}/${script}`);
    expect(asset.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
    expect(asset.headers.get("x-content-type-options")).to.equal("nosniff");
    expect(asset.headers.get("content-type")).to.match(/^text\/javascript/);
    for (const path of [
      "/verify/assets/",
      "/verify/assets/../index.html",
      "/verify/assets/%2e%2e/index.html",
    ]) {
      expect((await fetch(stack.service.url + path)).status, path).to.be.within(400, 404);
    }
  });

  it("is small: under 40 kB of script, which is served compressed to whoever can read that", async () => {
    const { verify } = await findBundles();
    const folder = join(verify, "assets");
    const scripts = readdirSync(folder).filter((file) => file.endsWith(".js"));
    expect(scripts).not.to.deep.equal([]);
    const get = (file: string, encodings: string) =>
      rawGet(`${stack.service.url}/verify/assets/${file}`, { "accept-encoding": encodings });
    for (const [encoding, unpack] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      let size = 0;
      for (const file of readdirSync(folder).filter((file) => /\.(js|css)$/.test(file))) {
        const { headers, body } = await get(file, `${encoding}, deflate`);
        expect(headers, file).to.include({ "content-encoding": encoding, vary: "Accept-Encoding" });
        expect(headers["content-type"]).to.match(/^text\/(javascript|css)/);
        expect(headers["cache-control"]).to.equal("public, max-age=31536000, immutable");
        expect(unpack(body).equals(readFileSync(join(folder, file)))).to.equal(true);
        if (file.endsWith(".js")) size += body.length;
      }
      expect(size, encoding).to.be.within(1_000, 40_000);
    }
    const [file = ""] = scripts;
    for (const encodings of ["", "identity", "br;q=0, gzip;q=0"]) {
      const { headers, body } = await get(file, encodings);
      expect(headers["content-encoding"], encodings).to.equal(undefined);
      expect(body.equals(readFileSync(join(folder, file)))).to.equal(true);
    }
  });
});
