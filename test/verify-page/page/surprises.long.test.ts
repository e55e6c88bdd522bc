import { expect } from "chai";
import type { Page } from "playwright-core";
import { openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, short } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

// cspell:ignore Entra monedero

/** A wallet beside the test wallet, which answers when the test has it answer. */
const slowWallet = (address: string) => `
  globalThis.slow = { asked: [] };
  addEventListener("eip6963:requestProvider", () => {
    const request = ({ method }) => method === "eth_chainId" ? Promise.resolve("0x14a34") : new Promise((answer, refuse) => slow.asked.push({ method, answer, refuse }));
    const info = { uuid: "slow", name: "Slow wallet", rdns: "example.slow" };
    dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: { request } } }));
  });
  slow.answer = (method, answer) => slow.asked.filter((each) => each.method === method).forEach((each) => each.answer(answer));
  slow.address = ${JSON.stringify(address)};
`;

/** Acts as a translating browser: each text becomes an element of its own, as soon as it appears. */
const translator = `addEventListener("DOMContentLoaded", () => {
  const translate = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    for (const text of found) {
      const { parentElement } = text;
      if (text.data.trim() === "" || parentElement.closest("[translate=no], font, script, option, svg, title")) continue;
      const [outer, inner] = ["font", "font"].map((name) => document.createElement(name));
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  new MutationObserver(translate).observe(document.body, { childList: true, characterData: true, subtree: true });
  translate();
})`;

const sessionOf = async (page: Page): Promise<string | undefined> => {
  const overview = await page.request.get(new URL("/verify/overview", page.url()).href);
  return (await overview.json()).wallet;
};

/** Waits until something was read out so many times. */
async function readOut(page: Page, times: number): Promise<void> {
  while ((await page.evaluate("read")) !== times) await page.waitForTimeout(20);
}

/** Waits long enough for what must not happen. */
const settle = (page: Page) => page.waitForTimeout(400);

describe("A surprise for the verify page", function () {
  this.timeout(60_000);
  const { app, backAtApp, browser, openFor, outcome, pageUrl, pickAlice, serveElsewhere, signIn, success } =
    useVerifyPage();

  it("is a wallet that does not answer: another one can be used, and what the first answers late counts for nothing", async () => {
    const { page, person, other, url } = await openFor();
    await page.addInitScript(slowWallet(other));
    await page.goto(url);
    await press(page, "Slow wallet");
    await page.getByText("Check your wallet: it is asking to connect.").waitFor();
    await press(page, "Test wallet");
    await arriveAt(page, "Sign in with your wallet");
    await page.evaluate("slow.answer('eth_requestAccounts', [slow.address])");
    await settle(page);
    await arriveAt(page, "Sign in with your wallet");
    await press(page, "Use another wallet");
    await page.evaluate("slow.answer('eth_requestAccounts', [slow.address])");
    await settle(page);
    await arriveAt(page, "Connect a wallet");
    // Somebody asks it once more, as the window of the first time is gone: either answer counts.
    await press(page, "Slow wallet");
    await page.getByRole("button", { name: "Slow wallet" }).dblclick();
    expect(await page.evaluate("slow.asked.length"), "a double click").to.equal(2);
    await page.waitForTimeout(1_100);
    await press(page, "Slow wallet");
    await page.evaluate("slow.asked.at(-1).refuse(Object.assign(new Error('Already.'), { code: -32002 }))");
    await page.getByText("Your wallet is still waiting for an answer.").waitFor();
    await page.evaluate("slow.asked.at(-2).answer([slow.address])");
    await arriveAt(page, "Wrong wallet");
    expect(person.complaints).to.deep.equal([]);
  });

  it("is a signature that comes after the person has turned to another wallet, or another account", async () => {
    const { page, person, wallet, other, url } = await openFor();
    await page.goto(url);
    await press(page, "Test wallet");
    let sign = () => {};
    person.waitsFor = new Promise((resolve) => (sign = resolve));
    await press(page, "Sign in");
    await page.getByText("Check your wallet: it is asking for your signature.").waitFor();
    await press(page, "Use another wallet");
    await arriveAt(page, "Connect a wallet");
    sign();
    await settle(page);
    await arriveAt(page, "Connect a wallet");
    expect(await sessionOf(page)).to.equal(undefined);

    await page.goto(pageUrl());
    person.accounts = [wallet.address];
    await press(page, "Test wallet");
    await page.getByText(short(wallet.address)).waitFor();
    person.waitsFor = new Promise((resolve) => (sign = resolve));
    await press(page, "Sign in");
    await page.getByText("Check your wallet: it is asking for your signature.").waitFor();
    await person.tell("accountsChanged", [other]);
    await page.getByText("The account in your wallet has changed.").waitFor();
    await page.getByText(short(other)).waitFor();
    sign();
    await settle(page);
    await arriveAt(page, "Sign in with your wallet");
    expect(await sessionOf(page)).to.equal(undefined);
    await expectWholeScreen(page, "verify-switched");
    // The same accounts, told once more, or in another order behind the first, change nothing.
    await person.tell("accountsChanged", [wallet.address]);
    person.waitsFor = new Promise((resolve) => (sign = resolve));
    await press(page, "Sign in");
    await person.tell("accountsChanged", [wallet.address.toLowerCase(), other]);
    sign();
    await arriveAt(page, "Verify your account");
    expect(await sessionOf(page)).to.equal(wallet.address);
  });

  it("is a browser that keeps no cookies: it says so before the wallet asks for a signature", async () => {
    const { page, person, url } = await openFor();
    await page.route("**/verify/message", async (route) => {
      const answer = await route.fetch();
      const { "set-cookie": _, ...headers } = answer.headers();
      await page.context().clearCookies();
      await route.fulfill({ response: answer, headers });
    });
    await page.goto(url);
    await press(page, "Test wallet");
    await press(page, "Sign in");
    await page.getByText("This page needs cookies").waitFor();
    expect(person.asked.map(({ method }) => method)).not.to.include("personal_sign");
    await expectWholeScreen(page, "verify-no-cookies");
    await page.unroute("**/verify/message");
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });

  for (const lateMs of [300, 1_500]) {
    it(`is a wallet that comes to window.ethereum ${lateMs} ms after the page, without a word`, async () => {
      const service = await serveElsewhere();
      const { page } = await openBrowser(browser(), { hasWallet: false });
      await page.goto(`${service.url}/verify?redirect_uri=${app()}/`);
      await arriveAt(page, "You need a wallet");
      await page.evaluate(`setTimeout(() => { window.ethereum = { request: async () => [] }; }, ${lateMs})`);
      await page.getByRole("button", { name: "This browser’s wallet" }).waitFor();
      // Another one takes its place.
      await page.evaluate(`window.ethereum = { request: async () => ["0x${"ab".repeat(20)}"] }`);
      await page.waitForTimeout(700);
      await press(page, "This browser’s wallet");
      await arriveAt(page, "Sign in with your wallet");
    });
  }

  it("is a browser that translates it: what it shows stays true", async () => {
    const { page, person, wallet, other } = await openFor();
    await page.addInitScript(translator);
    await page.goto(pageUrl());
    await arriveAt(page, "Connect a wallet");
    expect(await page.locator("h1 font").count()).to.be.greaterThan(0);
    person.accounts = [wallet.address];
    await press(page, "Test wallet");
    await arriveAt(page, "Sign in with your wallet");
    await person.tell("accountsChanged", [other]);
    await page.getByText(short(other)).waitFor();
    expect(await page.getByText(short(wallet.address)).count()).to.equal(0);
    await person.tell("accountsChanged", [wallet.address]);
    await page.getByText(short(wallet.address)).waitFor();
    let go = () => {};
    person.waitsFor = new Promise((resolve) => (go = resolve));
    await press(page, "Sign in");
    await page.getByRole("status").getByText("Check your wallet: it is asking for your signature.").waitFor();
    expect(await page.getByText("Preparing the message").count()).to.equal(0);
    person.rejects = true;
    go();
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    // Another language, on a page that is translated.
    await page.getByRole("combobox").first().selectOption("es");
    await arriveAt(page, "Entra con tu monedero");
    expect(await page.locator("main").innerText()).not.to.include("Sign in");
    await page.getByRole("combobox").first().selectOption("en");
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
    await press(page, /^Continue to/);
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    expect(await page.getByRole("definition").first().innerText()).to.equal("1,200");
    await press(page, /^Store it and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
    expect(person.complaints).to.deep.equal([]);
  });

  it("is a service that says nothing: after a while it says that the service cannot be reached", async () => {
    const { page, url } = await openFor();
    await page.addInitScript(`{
      const { timeout } = AbortSignal;
      AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, milliseconds > 30000 ? milliseconds : 300);
    }`);
    await page.route("**/verify/overview*", () => {}, { times: 1 });
    await page.goto(url);
    await page.getByText("The service cannot be reached.").waitFor();
    await press(page, "Try again");
    await press(page, "Test wallet");
    await page.route("**/verify/message", () => {}, { times: 1 });
    await press(page, "Sign in");
    await page.getByText("The service cannot be reached.").waitFor();
  });

  it("is something that fails twice: both times are read out", async () => {
    const { page, person, url } = await openFor();
    await page.goto(url);
    await press(page, "Test wallet");
    person.rejects = true;
    await press(page, "Sign in");
    await page.getByText("You declined in your wallet.").waitFor();
    await page.evaluate(`{
      globalThis.read = 0;
      const line = document.querySelector(".said");
      new MutationObserver((changes) => { read += changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((each) => /declined/.test(each.textContent)).length; })
        .observe(line, { childList: true, subtree: true, characterData: true });
    }`);
    await press(page, "Sign in");
    await readOut(page, 1);
    // The whole page, too.
    const refuse = (route: { abort(): Promise<void> }) => route.abort();
    await page.route("**/verify/overview*", refuse);
    await page.reload();
    await page.getByRole("alert").waitFor();
    await page.evaluate(`{
      globalThis.read = 0;
      new MutationObserver((changes) => { read += changes.flatMap(({ addedNodes }) => [...addedNodes]).filter(({ role }) => role === "alert").length; })
        .observe(document.querySelector("main"), { childList: true, subtree: true });
    }`);
    await press(page, "Try again");
    await readOut(page, 1);
    await press(page, "Try again");
    await readOut(page, 2);
  });

  it("is a display with few colors of the person's own: a list still looks like one", async () => {
    const { page, url } = await openFor({ forcedColors: "active" });
    await page.goto(url);
    await page.getByRole("combobox").first().waitFor();
    const drawn = await page.evaluate(`{
      const { appearance, backgroundImage } = getComputedStyle(document.querySelector("select"));
      [appearance, backgroundImage];
    }`);
    expect(drawn).to.deep.equal(["auto", "none"]);
  });

  it("is a browser in which nobody began: it sends the person back to theirs, and keeps the app's address", async () => {
    const service = await serveElsewhere();
    const redirect = encodeURIComponent(`${app()}/claim`);
    const { page } = await openBrowser(browser(), {
      hasWallet: false,
      context: { hasTouch: true, isMobile: true },
    });
    await page.goto(`${service.url}/verify?ended=elsewhere&redirect_uri=${redirect}&providers=`);
    await arriveAt(page, "Go back to your other browser");
    await expectWholeScreen(page, "verify-elsewhere");
    const links = await page
      .getByRole("link", { name: /^Open in/ })
      .evaluateAll((found) => found.map(String));
    for (const link of links)
      expect(decodeURIComponent(decodeURIComponent(link))).to.include(`${app()}/claim`);
    for (const [ended, says] of [
      ["used", "was already used"],
      ["late", "took longer than 15 minutes"],
      ["changed", "A wallet signed in here"],
      ["dropped", "only the latest can be finished"],
      ["<script>", "cannot be finished"],
    ] as const) {
      await page.goto(`${service.url}/verify?ended=${encodeURIComponent(ended)}&redirect_uri=${redirect}`);
      await page.getByRole("status").getByText(says).waitFor();
      expect(new URL(page.url()).search).to.equal(`?redirect_uri=${redirect}`);
    }
  });

  it("is an answer that is lost after the account was stored: storing it again succeeds, and not storing it says that it is stored", async () => {
    for (const click of [/^Store it and go back/, "Do not store it"]) {
      const { page, person, url } = await openFor();
      await signIn(person, url);
      await press(page, /^Continue to/);
      await pickAlice(page);
      await arriveAt(page, "Store this account?");
      await page.route(
        "**/verify/keep",
        async (route) => {
          await fetch(route.request().url(), {
            method: "POST",
            headers: await route.request().allHeaders(),
            body: route.request().postData(),
          });
          await route.abort();
        },
        { times: 1 },
      );
      await press(page, /^Store it and go back/);
      await page.getByText("The service cannot be reached.").waitFor();
      await page.getByText("It may be stored already").waitFor();
      expect(await page.getByText("Nothing is stored yet").count()).to.equal(0);
      await expectWholeScreen(page, "verify-may-be-stored");
      await press(page, click);
      if (click === "Do not store it") {
        await page.getByText("account was stored, although").waitFor();
        await arriveAt(page, "You have already verified this account");
        await expectWholeScreen(page, "verify-was-stored");
      } else {
        await backAtApp(page);
        expect(outcome(page)).to.deep.equal(success);
      }
    }
  });

  it("is a refusal before anything is stored, and then an app that does not answer: a button leads there again", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Continue to/);
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    const refusal = { status: 429, json: { code: "rate_limited", detail: "No." } };
    await page.route("**/verify/keep", (route) => route.fulfill(refusal), { times: 1 });
    await press(page, /^Store it and go back/);
    await page.getByText("Too many attempts").waitFor();
    await page.getByText("Nothing is stored yet").waitFor();
    // As if the person had stopped the browser.
    await page.route(`${app()}/**`, (route) => route.abort("aborted"), { times: 1 });
    await press(page, /^Store it and go back/);
    await press(page, /^Continue to/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  it("is a wallet that never answers what it is asked besides: the person goes on without it", async () => {
    const { page, person, wallet, other, url } = await openFor();
    person.chainId = 1;
    await page.goto(url);
    await press(page, "Test wallet");
    await page.getByText("Your wallet is on a different network").waitFor();
    person.waitsFor = new Promise(() => {});
    await press(page, /^Switch to/);
    await page.getByText("it is asking to switch networks").waitFor();
    person.waitsFor = undefined;
    person.rejects = true;
    await press(page, /^Switch to/);
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    // Then for the accounts: a wallet tells of them before it answers.
    person.accounts = [other];
    await person.tell("accountsChanged", [other]);
    await arriveAt(page, "Wrong wallet");
    let answer = () => {};
    person.waitsFor = new Promise((resolve) => (answer = resolve));
    await press(page, "Choose accounts in the wallet");
    await page.getByText("it is asking to connect").waitFor();
    await person.tell("accountsChanged", [wallet.address]);
    await arriveAt(page, "Sign in with your wallet");
    person.accounts = [wallet.address];
    answer();
    await settle(page);
    expect(await page.getByText("The account in your wallet has changed.").count()).to.equal(0);
    person.waitsFor = undefined;
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });

  it("is a former wallet that answers late, one that disconnects while it signs, or a session that is gone", async () => {
    const { page, person, wallet, other } = await openFor();
    await page.addInitScript(slowWallet(other));
    await page.goto(pageUrl());
    await page.evaluate("sessionStorage.setItem('wallet', 'example.slow')");
    await page.reload();
    person.accounts = [wallet.address];
    await press(page, "Test wallet");
    await page.getByText(short(wallet.address)).waitFor();
    await page.evaluate("slow.answer('eth_accounts', [slow.address])");
    await settle(page);
    await page.getByText(short(wallet.address)).waitFor();
    let sign = () => {};
    person.waitsFor = new Promise((resolve) => (sign = resolve));
    await press(page, "Sign in");
    await page.getByText("it is asking for your signature").waitFor();
    await person.tell("accountsChanged", []);
    await page.getByText("Your wallet disconnected from this page.").waitFor();
    sign();
    await settle(page);
    await arriveAt(page, "Connect a wallet");
    expect(await sessionOf(page)).to.equal(undefined);
    person.waitsFor = undefined;
    await press(page, "Test wallet");
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
    await page.context().clearCookies();
    await press(page, /^Continue to/);
    await page.getByText("You are no longer signed in.").waitFor();
    expect(person.complaints).to.deep.equal([]);
  });

  it("is a browser that translates the screens on which something is chosen, deleted or refused", async () => {
    const { page, person, other, url } = await openFor();
    await page.addInitScript(translator);
    await signIn(person, url);
    await press(page, /^Continue to/);
    await press(page, "Deny access");
    await arriveAt(page, "You denied access");
    await press(page, "Try again");
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    await press(page, "Do not store it");
    await page.getByText("Nothing was stored.").waitFor();
    await press(page, /^Continue to/);
    await pickAlice(page);
    await press(page, /^Store it and go back/);
    await backAtApp(page);
    await page.goto(url);
    await arriveAt(page, "You have already verified this account");
    await press(page, "Delete");
    await press(page, "Delete it for good");
    await page.getByText("account is deleted here for good").waitFor();
    await arriveAt(page, "Verify your account");
    expect(await page.getByText("You have already verified").count()).to.equal(0);
    expect(await page.getByText("Nothing is stored for this wallet").count()).to.equal(0);
    await press(page, "Sign out or use another wallet");
    await arriveAt(page, "Connect a wallet");
    person.accounts = [other];
    await press(page, "Test wallet");
    await arriveAt(page, "Wrong wallet");
    await page.getByText(short(other)).first().waitFor();
    expect(person.complaints).to.deep.equal([]);
  });

  it("is an answer that stops in the middle, or a line that is gone for a while", async () => {
    const { page, url } = await openFor();
    await page.context().setOffline(false);
    await page.goto(url);
    await press(page, "Test wallet");
    await page.context().setOffline(true);
    await press(page, "Sign in");
    await page.getByText("The service cannot be reached.").waitFor();
    await page.context().setOffline(false);
    await page.route("**/verify/message", (route) => route.fulfill({ json: null }), { times: 1 });
    await press(page, "Sign in");
    await page.getByText(/^(Something went wrong on this page|We got an answer)/).waitFor();
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });
});
