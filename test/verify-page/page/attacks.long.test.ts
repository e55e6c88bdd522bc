import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { serveApp } from "../../fixtures/web/appPage.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { openBrowser, type Person } from "../../fixtures/web/person.ts";

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
    await page.getByRole("heading", { name: /^(Verify your account|Your accounts)$/, level: 1 }).waitFor();
  }

  async function prove({ page }: Person, label: string, account: string): Promise<void> {
    await page.getByRole("button", { name: `${label} (sandbox)` }).click();
    await page.getByRole("button", { name: `Continue as ${account}` }).click();
    await page.getByRole("heading", { name: "Store this account?" }).waitFor();
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
      document.body.append(Object.assign(document.createElement("a"), { href: "javascript:void(window.injected='link')", id: "bad" }));
      document.getElementById("bad").click();
    }`);
    await page.waitForFunction("true");
    expect(await page.evaluate("window.injected")).to.equal(undefined);
    expect(person.requests.filter((url) => url.includes("evil.example"))).to.deep.equal([]);
  });

  it("shows what a provider and a wallet say as text", async () => {
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

  it("does nothing for another page of the same site", async () => {
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

  it("tells its own address to nobody", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const referrers: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(stack.sandbox.url)) referrers.push(request.headers().referer);
    });
    await signIn(person, "?state=secret&redirect_uri=https://unknown.example/secret");
    await page.getByRole("button", { name: /^(Continue to )?Microblog/ }).click();
    await page.getByRole("heading", { name: /^Sign in to/ }).waitFor();
    expect(referrers.filter((referrer) => referrer?.includes("/verify"))).to.deep.equal([]);
    expect(referrers).not.to.deep.equal([]);
  });
});
