import { expect } from "chai";
import type { Page } from "playwright-core";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { serveApp } from "../../fixtures/web/appPage.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { expectAccessible, expectNoStrangers, openBrowser, type Person } from "../../fixtures/web/person.ts";
import { arriveAt, expectInSight, press, short, sizes } from "../../fixtures/web/screen.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

// cspell:ignore Este enlace funciona
describe("Whatever else happens on the verify page, in a browser", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  let app: string;
  before(async () => {
    [stack, app] = await Promise.all([serveVerifyPage(), serveApp()]);
  });

  /** Where an app sends its user: with a state, and a query of its own. */
  function pageUrl(returnTo: string | undefined = `${app}/claim?tab=2`, providers = "microblog"): string {
    const url = new URL(`${stack.service.url}/verify`);
    if (providers !== "") url.searchParams.set("providers", providers);
    if (returnTo !== "") {
      url.searchParams.set("redirect_uri", returnTo);
      url.searchParams.set("state", "the app's own");
    }
    return url.href;
  }

  async function connect(person: Person, url = pageUrl()): Promise<void> {
    await person.page.goto(url);
    await arriveAt(person.page, "Connect a wallet");
    await press(person.page, /Test wallet/);
    await arriveAt(person.page, "Sign in with your wallet");
  }

  async function signIn(person: Person, url = pageUrl()): Promise<void> {
    await connect(person, url);
    await press(person.page, "Sign in");
    await arriveAt(person.page, /^(Verify your account|Your accounts)$/);
  }

  async function proveAs(person: Person, name: string): Promise<void> {
    await press(person.page, /^(Continue to )?Microblog/);
    await arriveAt(person.page, /^Sign in to/);
    await press(person.page, `Continue as ${name}`);
  }

  const backAtApp = (page: Page) => page.waitForURL((url) => url.origin === app);

  it("lists a wallet's accounts, and deletes one for good", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await signIn(person, pageUrl("", ""));
    await page.getByText("Nothing is stored for this wallet.").waitFor();
    await proveAs(person, "Alice");
    await arriveAt(page, "Store this account?");
    await expectWholeScreen(page, "verify-visit-check");
    await press(page, "Store it");
    await page.getByText("Your Microblog (sandbox) account is stored.").waitFor();
    await expectAccessible(page, "verify-accounts");
    await press(page, "Delete");
    await expectAccessible(page, "verify-delete");
    await press(page, "Keep it");
    await press(page, "Delete");
    await press(page, "Delete it for good");
    await page.getByText("Your claims with it stay on the blockchain.").waitFor();
    await expectAccessible(page, "verify-deleted");
    await page.reload();
    await page.getByText("Nothing is stored for this wallet.").waitFor();
  });

  it("warns in sight, on a small phone, before another account takes the place of the former one, and can leave it", async () => {
    const viewport = { width: 360, height: 640 };
    const person = await openBrowser(browser(), { context: { ...sizes["a phone"], viewport } });
    const { page } = person;
    await signIn(person, pageUrl("", ""));
    await proveAs(person, "Alice");
    await press(page, "Store it");
    await page.getByText("account is stored").waitFor();
    await proveAs(person, "Bob");
    const warning = page.getByText("This one takes its place");
    await expectInSight(page, warning);
    const [above, below] = [await warning.boundingBox(), await page.locator(".next").boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).to.be.below(below?.y ?? 0);
    await expectAccessible(page, "verify-replace");
    await press(page, "Do not store it");
    await page.getByText("Nothing was stored.").waitFor();
    await expectWholeScreen(page, "verify-discarded");
  });

  it("comes back with a reason when the wallet refuses the signature", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await connect(person);
    person.rejects = true;
    await press(page, "Sign in");
    await page.getByText("You declined in your wallet.").waitFor();
    await expectAccessible(page, "verify-rejected");
    await press(page, /^Go back to/);
    await backAtApp(page);
    expect(page.url()).to.equal(`${app}/claim?tab=2&error=signature_rejected&state=the+app%27s+own`);
  });

  it("reports a provider's wrong answer, and lets a person try again", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const dora = { accountId: "dora", name: "Dora", traits: { followers: "no number" } };
    stack.sandbox.accounts.microblog.set("dora", dora);
    await signIn(person);
    await proveAs(person, "Dora");
    await arriveAt(page, "We could not read your Microblog (sandbox) account");
    await expectAccessible(page, "verify-provider-failed");
    const failed = page.url();
    await press(page, /^Go back to/);
    await backAtApp(page);
    expect(new URL(page.url()).searchParams.get("error")).to.equal("provider_unavailable");
    await page.goto(failed);
    await arriveAt(page, "We could not read your Microblog (sandbox) account");
    stack.sandbox.accounts.microblog.set("dora", { ...dora, traits: { followers: "7" } });
    await stack.setCredential(person.wallet.address, { followers: "6", verified: "true" });
    await press(page, "Try again");
    await press(page, "Continue as Dora");
    await arriveAt(page, "Store this account?");
    await expectWholeScreen(page, "verify-dropped");
  });

  it("can be left at any step, with a reason", async () => {
    const steps: [string, (person: Person) => Promise<unknown>][] = [
      ["sign in", (person) => connect(person)],
      ["prove", (person) => signIn(person)],
    ];
    for (const [step, walk] of steps) {
      const person = await openBrowser(browser());
      await walk(person);
      await press(person.page, /^Go back to/);
      await backAtApp(person.page);
      expect(new URL(person.page.url()).searchParams.get("error"), step).to.equal("cancelled");
    }
  });

  it("lets a person choose another wallet, before and after signing in", async () => {
    const person = await openBrowser(browser());
    await connect(person);
    const { page } = person;
    const address = page.getByTitle(person.wallet.address);
    const wallets = page.getByRole("button", { name: /Test wallet/ });
    /** Waits for the one, and has the other gone. */
    const expectShown = async (here: typeof address, gone: typeof wallets) => {
      await here.waitFor();
      expect(await gone.count()).to.equal(0);
    };
    await expectShown(address, wallets);
    // The page ignores the former one at once, even before the browser has painted the page without it.
    await page.evaluate(`(async () => {
      const isThere = (text) => document.querySelector("main").textContent.includes(text);
      [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Use another wallet").click();
      for (let turns = 0; !isThere("Connect a wallet") && turns < 1_000; turns++) await undefined;
      testWallet.tell("accountsChanged", []);
    })()`);
    await arriveAt(page, "Connect a wallet");
    await expectShown(wallets, address);
    await wallets.waitFor();
    expect(await page.getByText("disconnected from this page").count()).to.equal(0);
    await wallets.click();
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
    await expectShown(address, wallets);
    await press(page, "Sign out or use another wallet");
    await arriveAt(page, "Connect a wallet");
    await expectShown(wallets, address);
  });

  it("goes to an unlisted address on a click only", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await signIn(person, pageUrl("https://unknown.example/a?b=1#c"));
    await expectWholeScreen(page, "verify-unlisted");
    await proveAs(person, "Alice");
    // It leads to a question first, so that it does not say that it leads there.
    await press(page, "Store it");
    await arriveAt(page, "Did you come from unknown.example?");
    await expectAccessible(page, "verify-leave");
    await press(page, "Stay here");
    await arriveAt(page, "You have already verified this account");
    expectNoStrangers(person, [stack.service.url, stack.sandbox.url, stack.rpcUrl]);
    await press(page, /^Continue to/);
    await page.getByRole("link", { name: "Go to unknown.example" }).click();
    await page.waitForURL("https://unknown.example/a?b=1&success=true&state=the+app%27s+own#c");
  });

  it("shows nobody as done who leaves for an unlisted address without a proof", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await signIn(person, pageUrl("https://unknown.example:8443/a"));
    await press(page, /^Go back to/);
    await arriveAt(page, "Did you come from unknown.example:8443?");
    await expectWholeScreen(page, "verify-leave-cancelled");
    await press(page, "Stay here");
    await arriveAt(page, "Verify your account");
  });

  it("tells a person who comes without an app what to do", async () => {
    const { page, wallet } = await openBrowser(browser());
    await page.goto(pageUrl("", ""));
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    await expectWholeScreen(page, "verify-visit");
    // A link with a wallet alone is of an app that wants nobody back.
    await page.goto(`${pageUrl("")}&wallet=${wallet.address}`);
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    await expectWholeScreen(page, "verify-asked-wallet");
  });

  it("has two ways on from a denial, where the app takes one provider's account alone", async () => {
    const person = await openBrowser(browser());
    await signIn(person);
    await press(person.page, /^Continue to/);
    await press(person.page, "Deny access");
    await arriveAt(person.page, "You denied access");
    await expectAccessible(person.page, "verify-denied");
    await press(person.page, /^Go back to/);
    await backAtApp(person.page);
    expect(new URL(person.page.url()).searchParams.get("error")).to.equal("access_denied");
    // A person who leaves a permission out has refused, too.
    await person.page.route("**/verify/overview*", async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({ body: text.replace(`"reason":"denied"`, `"reason":"partly_denied"`) });
    });
    await person.page.goBack();
    await person.page.getByText("Try again, and allow everything.").waitFor();
    await press(person.page, /^Go back to/);
    await person.page.waitForURL(`${app}/claim?tab=2&error=access_denied&state=the+app%27s+own`);
  });

  for (const [who, returnTo, screen] of [
    ["whom an app sent", undefined, "Verify your account"],
    ["who came without an app", "", "Your accounts"],
  ] as const) {
    it(`names the screen that leads on from a denial, to somebody ${who}`, async () => {
      const person = await openBrowser(browser());
      const { page } = person;
      await signIn(person, pageUrl(returnTo, ""));
      await press(page, /^(Continue to )?Microblog/);
      await press(page, "Deny access");
      await press(page, `Back to “${screen}”`);
      await arriveAt(page, screen);
    });
  }

  it("is an error page for an address that it refuses, and for a provider that it does not know", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const answer = await page.goto(pageUrl("javascript:alert(1)"));
    expect(answer?.status()).to.equal(400);
    await arriveAt(page, "This link does not work");
    await expectAccessible(page, "verify-bad-link");
    await page.getByRole("main").getByRole("link").click();
    await page.getByText("You can also see and delete the accounts that you verified before.").waitFor();
    await page.goto(pageUrl(undefined, "myspace"));
    await page.getByText("known are microblog, exchange, photo_social, short_video").waitFor();
  });

  it("leads back to a listed app whose link is wrong, and tells the app that nothing came of it", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const answer = await page.goto(pageUrl(undefined, "myspace"));
    expect(answer?.status()).to.equal(400);
    await arriveAt(page, "This link does not work");
    const back = page.getByRole("main").getByRole("link").first();
    expect(await back.innerText()).to.equal(`Go back to ${new URL(app).host}`);
    await expectAccessible(page, "verify-bad-link-of-app");
    await back.click();
    await backAtApp(page);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).to.deep.equal({
      tab: "2",
      error: "cancelled",
      state: "the app's own",
    });
  });

  it("leads from a wrong link to no app that is not listed", async () => {
    const { page } = await openBrowser(browser());
    await page.goto(pageUrl("https://app.example/claim", "myspace"));
    await arriveAt(page, "This link does not work");
    expect(await page.getByRole("main").getByRole("link").allInnerTexts()).to.deep.equal([
      "See your accounts",
    ]);
  });

  it("says in English, and says that it is, what is wrong with a link on a Spanish page", async () => {
    const { page } = await openBrowser(browser(), { context: { locale: "es-ES" } });
    await page.goto(pageUrl("javascript:alert(1)"));
    await arriveAt(page, "Este enlace no funciona");
    const detail = page.locator("main [lang=en]");
    expect(await detail.innerText()).to.include("is not an https URL");
    await page.goto(pageUrl(undefined, "myspace"));
    await detail.getByText("known are microblog, exchange, photo_social, short_video").waitFor();
  });

  it("says that a sign-in has ended which this browser did not start", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await page.goto(`${stack.service.url}/verify/callback/microblog?code=a&state=b`);
    await arriveAt(page, "Connect a wallet");
    await expectAccessible(page, "verify-ended");
  });

  it("leads to its configured address, by whatever name it was opened", async () => {
    const { page } = await openBrowser(browser());
    await page.goto(pageUrl().replace("127.0.0.1", "localhost"));
    await page.waitForURL(pageUrl());
    await arriveAt(page, "Connect a wallet");
    expect(page.url()).to.equal(pageUrl());
  });

  it("has development wallets on a local chain, clearly marked, with an account to choose", async () => {
    const person = await openBrowser(browser(), { hasWallet: false });
    const { page } = person;
    await page.goto(pageUrl());
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    // Once, though it is at window.ethereum, too, where wallets may come late.
    await page.evaluate(`dispatchEvent(new Event("ethereum#initialized"))`);
    const wallets = await page.locator("button.choice").allInnerTexts();
    expect(wallets.map((text) => text.split("\n").at(-1))).to.deep.equal([
      "Development wallet for development only",
    ]);
    await press(page, "Development wallet for development only");
    // The node's first account owns the registry.
    const second = await (await stack.provider.getSigner(1)).getAddress();
    await page.getByTitle(second).waitFor();
    await page.getByLabel("Wallet account").selectOption({ index: 2 });
    const third = await (await stack.provider.getSigner(2)).getAddress();
    await page.getByTitle(third).waitFor();
    await expectAccessible(page, "verify-development-wallet");
    await press(page, "Sign in");
    await page.getByText(`Your wallet: ${short(third)}`).waitFor();
    // Which wallet is meant, this one does not know: it lacks the other account.
    await page.goto(`${pageUrl()}&wallet=${person.wallet.address}`);
    await page.getByText("You are not signed in with the wallet that the app asks for.").waitFor();
    expectNoStrangers(person, [stack.service.url, stack.rpcUrl]);
  });
});
