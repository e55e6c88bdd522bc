import { expect } from "chai";
import { Wallet } from "ethers";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { encode } from "uqr";
import { findBundles } from "../../../web/server/bundles.ts";
import { serveApp } from "../../fixtures/appPage.ts";
import { useBrowser } from "../../fixtures/browser.ts";
import { expectAccessible, expectNoStrangers, openBrowser, type Person } from "../../fixtures/person.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/proxy.ts";
import { startTestSigner } from "../../fixtures/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signIn.ts";
import { serveVerifyPage } from "../../fixtures/stack.ts";

// cspell:ignore Conecta monedero Entrar demostrada Demostrar cuenta correcto Idioma hoy
const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" }).click();
const arriveAt = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Says that something can be seen without scrolling. */
async function expectInSight(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  const box = await what.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  expect(box && box.y >= 0 && box.y + box.height <= height, await what.innerText()).to.equal(true);
}

const sizes: Record<string, BrowserContextOptions> = {
  "a laptop": { viewport: { width: 1280, height: 800 } },
  "a phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

describe("The way through the verify page", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  let app: string;
  before(async () => {
    [stack, app] = await Promise.all([serveVerifyPage(), serveApp()]);
  });

  /** The address at which the service has an app send the owner of a wallet, with the app's way back. */
  function pageUrl(query: Record<string, string> = {}): string {
    const url = new URL(`${stack.service.url}/verify`);
    const asked = { providers: "microblog", redirect_uri: `${app}/claim?tab=2`, state: "its own", ...query };
    for (const [name, value] of Object.entries(asked)) if (value !== "") url.searchParams.set(name, value);
    return url.href;
  }

  /** Somebody whose wallet has another account first, and that of which the app asks, too. */
  async function openFor(context: BrowserContextOptions = {}) {
    const person = await openBrowser(browser(), { context });
    const other = Wallet.createRandom().address;
    person.accounts = [other, person.wallet.address];
    return { ...person, person, other, url: pageUrl({ wallet: person.wallet.address }) };
  }

  async function signIn({ page }: Pick<Person, "page">, url: string): Promise<void> {
    await page.goto(url);
    await press(page, /^Test wallet/);
    await press(page, "Sign in");
    await arriveAt(page, /^(Prove an account|Your accounts|That is another wallet)$/);
  }

  async function pickAlice(page: Page): Promise<void> {
    await page.getByRole("radio", { name: /Alice/ }).check();
    await press(page, "Sign in");
  }

  const setCredential = (wallet: string, authenticatedAt?: number) =>
    stack.setCredential(wallet, { followers: "12000" }, authenticatedAt);
  const backAtApp = (page: Page) => page.waitForURL((url) => url.origin === app);
  const outcome = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
  const success = { tab: "2", success: "true", state: "its own" };

  for (const [device, context] of Object.entries(sizes)) {
    it(`leads from the service's refusal to a verification for the wallet that was refused, on ${device}`, async () => {
      const person = await openBrowser(browser(), { context });
      const { page, wallet } = person;
      person.accounts = [Wallet.createRandom().address, wallet.address];
      const consumer = await (await stack.deployConsumer()).getAddress();
      const ask = async () => requestVerification(stack.service.url, await signedRequest(wallet, consumer));
      const refused = await ask();
      expect(refused.body.code).to.equal("verification_not_found");
      const url = new URL(String(refused.body.verifyUrl));
      expect(url.searchParams.get("wallet")).to.equal(wallet.address);
      url.searchParams.set("redirect_uri", `${app}/claim`);

      const asks = `${new URL(app).host} asks for your Microblog (sandbox) account, for ${short(wallet.address)}`;
      const purpose = page.getByText(asks);
      await page.goto(url.href);
      await expectInSight(page, purpose);
      await press(page, /^Test wallet/);
      await page.getByText(wallet.address, { exact: true }).waitFor();
      await expectInSight(page, purpose);
      await expectInSight(page, page.getByRole("button", { name: "Sign in", exact: true }));
      await press(page, "Sign in");
      await arriveAt(page, "Prove an account");
      await page.mouse.wheel(0, 5_000);
      await expectInSight(page, purpose);
      await press(page, "Prove your Microblog (sandbox) account");
      await pickAlice(page);
      await arriveAt(page, "Is this right?");
      await expectInSight(page, purpose);
      await press(page, /^Store it, and go back/);
      await backAtApp(page);
      expect((await ask()).status).to.equal(200);
      expectNoStrangers(person, [stack.service.url, stack.sandbox.url, stack.rpcUrl, app]);
    });

    it(`can be walked by the keyboard alone, the focus always where it goes on, on ${device}`, async () => {
      const { page, person, url } = await openFor(context);
      person.accounts = [person.wallet.address];
      const focused = () => page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''");
      const tabTo = async (wanted: RegExp) => {
        for (let presses = 0; presses < 30; presses++) {
          if (wanted.test(await focused())) return page.keyboard.press("Enter");
          await page.keyboard.press("Tab");
        }
        throw new Error(`Tab does not lead to ${wanted}.`);
      };
      const expectFocusAt = async (title: string) => {
        await arriveAt(page, title);
        expect(await focused()).to.equal(title);
      };
      await page.goto(url);
      await expectFocusAt("Connect a wallet");
      await tabTo(/^Test wallet/);
      await expectFocusAt("Sign in with your wallet");
      person.rejects = true;
      await tabTo(/^Sign in$/);
      await page.getByText("Your wallet says that you refused.").waitFor();
      expect(await focused()).to.equal("Try again");
      person.rejects = false;
      await page.keyboard.press("Enter");
      await expectFocusAt("Prove an account");
      await tabTo(/^Prove your Microblog/);
      await arriveAt(page, /who are you/);
      await tabTo(/^Sign in$/);
      await expectFocusAt("Is this right?");
      await tabTo(/^Store it/);
      await backAtApp(page);
      expect(outcome(page)).to.deep.equal(success);
    });

    it(`asks before another wallet is used than the app asks for, and follows the wallet, on ${device}`, async () => {
      const { page, person, wallet, other, url } = await openFor(context);
      person.accounts = [other];
      await page.goto(url);
      await press(page, /^Test wallet/);
      await arriveAt(page, "That is another wallet");
      await page.getByText(`Test wallet has not shown us ${short(wallet.address)}`).waitFor();
      expect(await page.getByRole("button", { name: "Sign in", exact: true }).count()).to.equal(0);
      await expectAccessible(page, "verify-other-wallet");
      await person.tell("accountsChanged", [wallet.address, other]);
      await arriveAt(page, "Sign in with your wallet");
      await page.getByLabel("Account").selectOption(other);
      await page.getByText("You have chosen another wallet than").waitFor();
      await press(page, `Use ${short(wallet.address)}`);
      await arriveAt(page, "Sign in with your wallet");
      await person.tell("accountsChanged", [other]);
      await press(page, `Go on with ${short(other)} all the same`);
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    });

    it(`takes somebody who has proven the account back with success at once, on ${device}`, async () => {
      const { page, person, wallet, url } = await openFor(context);
      await setCredential(wallet.address);
      await page.goto(url);
      expect(await page.getByText("Already proven").count(), "before the wallet has signed in").to.equal(0);
      await signIn(person, url);
      await page.getByText(/^Already proven today at \d/).waitFor();
      await expectInSight(page, page.getByRole("button", { name: `Continue to ${new URL(app).host}` }));
      await expectAccessible(page, "verify-already");
      await press(page, /^Continue to/);
      await backAtApp(page);
      expect(outcome(page)).to.deep.equal(success);
    });
  }

  it("asks whoever is signed in with another wallet which one they mean", async () => {
    const { page, person, wallet, other } = await openFor();
    await signIn(person, pageUrl({ wallet: wallet.address }));
    await page.goto(pageUrl({ wallet: other }));
    await arriveAt(page, "That is another wallet");
    await expectAccessible(page, "verify-other-session");
    await press(page, `Go on with ${short(wallet.address)} all the same`);
    await arriveAt(page, "Prove an account");
    await page.goto(pageUrl({ wallet: other }));
    await press(page, `Sign in with ${short(other)}`);
    await arriveAt(page, "Connect a wallet");
  });

  it("sends nobody back with an account that was proven too long ago for the app", async () => {
    const { page, person, wallet } = await openFor();
    const now = Math.floor(Date.now() / 1000);
    await setCredential(wallet.address, now - 86_400 * 40);
    await signIn(person, pageUrl({ wallet: wallet.address, since: String(now - 86_400) }));
    await page
      .getByText(/You proved your Microblog \(sandbox\) account on .* wants it proven yesterday at/)
      .waitFor();
    expect(await page.getByRole("button", { name: /^Continue/ }).count()).to.equal(0);
    await page.getByRole("button", { name: "Prove your Microblog (sandbox) account again" }).waitFor();
    await expectAccessible(page, "verify-too-old");
  });

  it("goes on, with the app's return address and state, after a sign-in that was used already", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Prove your/);
    const callback = page.waitForRequest(/\/verify\/callback\//);
    await pickAlice(page);
    await arriveAt(page, "Is this right?");
    // What a reload of it, or Back, makes a browser do.
    await page.goto((await callback).url());
    await page.getByText("was used already").waitFor();
    await press(page, /^Store it, and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  it("says that whoever comes back from the provider has not finished there, and leads there again", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Prove your/);
    await arriveAt(page, /who are you/);
    await page.goBack();
    await page.getByText("You are back from Microblog (sandbox) without having finished there.").waitFor();
    await expectAccessible(page, "verify-unfinished");
    await press(page, /^Prove your/);
    await pickAlice(page);
    await press(page, /^Store it, and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  it("has whoever loads it again in the middle of signing in go on there", async () => {
    const { page, wallet, url } = await openFor();
    await page.goto(url);
    await press(page, /^Test wallet/);
    await arriveAt(page, "Sign in with your wallet");
    await page.reload();
    await arriveAt(page, "Sign in with your wallet");
    await page.getByText(wallet.address, { exact: true }).waitFor();
    await press(page, "Sign in");
    await arriveAt(page, "Prove an account");
  });

  it("has a session that ended sign in again by one button, and keeps what the app asked", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await page.context().clearCookies();
    await press(page, /^Prove your/);
    await page.getByText("You are not signed in any more").waitFor();
    await expectAccessible(page, "verify-session-ended");
    await press(page, "Sign in");
    await press(page, /^Prove your/);
    await pickAlice(page);
    await press(page, /^Store it, and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  it("says in whose way the trouble is, and goes on once it is over", async () => {
    const { page, person, url } = await openFor();
    const html = { status: 502, contentType: "text/html", body: "<html><h1>502 Bad Gateway</h1></html>" };
    await page.route("**/verify/overview*", (route) => route.fulfill(html), { times: 1 });
    await page.goto(url);
    await arriveAt(page, "This page cannot be shown right now");
    await page.getByText("Something on the way to the service answered in its place").waitFor();
    await expectAccessible(page, "verify-bad-gateway");
    await press(page, "Try again");
    await press(page, /^Test wallet/);
    const problems = {
      "Something on the way to the service": html,
      "The service cannot reach the blockchain right now": {
        status: 503,
        json: { code: "chain_unavailable", detail: "No." },
      },
      "That was too often": { status: 429, json: { code: "rate_limited", detail: "No." } },
      "That was not a signature of": { status: 400, json: { code: "invalid_argument", detail: "No." } },
      "That text was used already": { status: 401, json: { code: "not_signed_in", detail: "No." } },
    };
    for (const [sentence, answer] of Object.entries(problems)) {
      await page.route("**/verify/link", (route) => route.fulfill(answer), { times: 1 });
      await press(page, /^(Sign in|Try again)$/);
      await page.getByRole("status").getByText(sentence).waitFor();
    }
    await page.route("**/verify/message", (route) => route.abort(), { times: 1 });
    await press(page, "Try again");
    await page.getByText("The service cannot be reached.").waitFor();
    await press(page, "Try again");
    await arriveAt(page, "Prove an account");
    expect(person.complaints).to.deep.equal([]);
  });

  it("says that the local chain is down, and not that the wallet failed", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(pageUrl());
    await page.route(`${stack.rpcUrl}/**`, (route) => route.abort());
    await press(page, /^Development wallet/);
    await page.getByText("The local chain does not answer.").waitFor();
    await page.unrouteAll();
    await press(page, /^Development wallet/);
    await arriveAt(page, "Sign in with your wallet");
  });

  it("says what it waits for: the wallet while that asks, the chain while the service does", async () => {
    const { page, person, url } = await openFor();
    let sign = () => {};
    const signed = new Promise<void>((resolve) => {
      sign = resolve;
    });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/verify/link", async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(url);
    await press(page, /^Test wallet/);
    person.waitsFor = signed;
    await press(page, "Sign in");
    const atWallet = page.getByText("Look at your wallet: it asks for your signature.");
    await atWallet.waitFor();
    expect(await page.getByText("Checking your signature").count()).to.equal(0);
    sign();
    await page.getByText("Checking your signature with the chain").waitFor();
    expect(await atWallet.count()).to.equal(0);
    await expectAccessible(page, "verify-checking");
    answer();
    await arriveAt(page, "Prove an account");
  });

  it("takes the wallet at window.ethereum where none announces itself", async () => {
    const person = await openBrowser(browser(), { found: "injected" });
    const { page } = person;
    await page.goto(pageUrl());
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    await press(page, "This browser’s wallet");
    await press(page, "Sign in");
    await arriveAt(page, "Prove an account");
    expectNoStrangers(person, [stack.service.url, stack.rpcUrl]);
  });

  it("bears wallets without accounts, without icons, and with very long names", async () => {
    const { page, person, url } = await openFor();
    person.accounts = [];
    const name = "Wallet of the longest name ".repeat(8) + "W".repeat(200);
    await page.addInitScript(`addEventListener("eip6963:requestProvider", () => {
      const info = { uuid: "2", name: ${JSON.stringify(name)}, rdns: "example.long" };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: testWallet } }));
    })`);
    await page.goto(url);
    await press(page, /^Wallet of the longest name/);
    await page.getByText("Your wallet showed us no account.").waitFor();
    await expectAccessible(page, "verify-odd-wallets");
    person.accounts = [person.wallet.address];
    await press(page, /^Wallet of the longest name/);
    await arriveAt(page, "Sign in with your wallet");
    await person.tell("accountsChanged", []);
    await page.getByText("Your wallet has been disconnected from this page.").waitFor();
  });

  it("offers to add the network and change to it, and looks again by itself", async () => {
    const { page, person, url } = await openFor();
    person.chainId = 1;
    await page.goto(url);
    await press(page, /^Test wallet/);
    const notice = page.getByText("Your wallet is on another network");
    await notice.waitFor();
    await expectAccessible(page, "verify-other-network");
    person.rejects = true;
    await press(page, /^Change to/);
    await page.getByText("Your wallet says that you refused.").waitFor();
    person.rejects = false;
    await press(page, /^Change to/);
    await notice.waitFor({ state: "detached" });
    const added = person.asked.find(({ method }) => method === "wallet_addEthereumChain");
    expect(added?.params[0])
      .to.include({ chainId: "0x14a34" })
      .and.to.have.deep.property("rpcUrls", [stack.rpcUrl]);
    person.chainId = 10;
    await person.tell("chainChanged", "0xa");
    await notice.waitFor();
    person.chainId = 84532;
    await person.tell("chainChanged", "0x14a34");
    await notice.waitFor({ state: "detached" });
    await press(page, "Sign in");
    await arriveAt(page, "Prove an account");
  });

  it("leads a phone without a wallet into one, and elsewhere by a link and a code that it draws itself", async () => {
    const node = await serveProxy(stack.rpcUrl);
    node.behaviour = hideLocalNode;
    const { verify: verifyBundle } = await findBundles();
    const service = await startTestSigner(
      {
        IDENTITY_RPC_URL: node.url,
        IDENTITY_REGISTRY: await stack.registryContract.getAddress(),
        IDENTITY_MASTER_SECRET: `0x${"11".repeat(32)}`,
        IDENTITY_SIGNING_KEY: `0x${"22".repeat(32)}`,
        IDENTITY_REDIRECT_ORIGINS: app,
      },
      { verifyBundle },
    );
    const context = { ...sizes["a phone"], permissions: ["clipboard-read", "clipboard-write"] };
    const person = await openBrowser(browser(), { hasWallet: false, context });
    const { page } = person;
    await page.goto(`${service.url}/verify?redirect_uri=${app}/&state=secret&wallet=${stack.user}`);
    await arriveAt(page, "You need a wallet");
    await expectAccessible(page, "verify-phone");
    const link = `${service.url}/verify?redirect_uri=${encodeURIComponent(`${app}/`)}&wallet=${stack.user}`;
    const links = await page
      .getByRole("link", { name: /^Open in/ })
      .evaluateAll((found) => found.map((each) => (each as unknown as { href: string }).href));
    expect(links).to.deep.equal([
      `https://link.metamask.io/dapp/${link.replace("http://", "")}`,
      `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(link)}`,
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(link)}`,
    ]);
    await press(page, "Copy the link");
    await page.getByText("The link is copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(link);
    const drawn = await page.getByRole("img", { name: /^Code/ }).locator("path").last().getAttribute("d");
    const squares = [...(drawn ?? "").matchAll(/M(\d+),(\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
    const { data } = encode(link, { border: 4, ecc: "L" });
    expect(squares).to.deep.equal(
      data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`${x} ${y}`] : []))),
    );
    expectNoStrangers(person, [service.url]);
  });

  it("puts the focus where a person goes on after deleting, and after not deleting", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    person.accounts = [wallet.address];
    await signIn(person, `${stack.service.url}/verify`);
    await press(page, "Delete");
    expect(await focused()).to.match(/^It is erased here at once/);
    await press(page, "Keep it");
    expect(await focused()).to.equal("Delete");
    await press(page, "Delete");
    await press(page, "Delete it for good");
    await page.getByText("is deleted here, for good").waitFor();
    expect(await focused()).to.match(/^Your Microblog .* is deleted here, for good/);
  });

  it("says so when an account that is to be deleted is gone already", async () => {
    const { page, person, wallet } = await openFor();
    await setCredential(wallet.address);
    person.accounts = [wallet.address];
    await signIn(person, `${stack.service.url}/verify`);
    await press(page, "Delete");
    await stack.store.delete(wallet.address, "microblog");
    await press(page, "Delete it for good");
    await page.getByText("That account is not stored here any more.").waitFor();
    await page.getByText("Nothing is stored for this wallet.").waitFor();
  });

  it("has a front door, from which a person finds the page", async () => {
    const person = await openBrowser(browser());
    await person.page.goto(`${stack.service.url}/`);
    await arriveAt(person.page, "Identity service");
    await expectAccessible(person.page, "front");
    await person.page.getByRole("link", { name: "Prove an account" }).click();
    await arriveAt(person.page, "Connect a wallet");
    expectNoStrangers(person, [stack.service.url, stack.rpcUrl]);
  });

  it("speaks the browser's language, and the one that the person chooses, with its numbers and times", async () => {
    const { page, person, wallet } = await openFor({
      locale: "es-ES",
      viewport: { width: 390, height: 844 },
    });
    await setCredential(wallet.address);
    await page.goto(pageUrl({ wallet: wallet.address }));
    await arriveAt(page, "Conecta un monedero");
    expect(await page.locator("html").getAttribute("lang")).to.equal("es");
    await expectAccessible(page, "verify-es-1-connect");
    await press(page, /^Test wallet/);
    await expectAccessible(page, "verify-es-2-sign-in");
    await press(page, "Entrar");
    await page.getByText(/^Ya demostrada hoy, \d/).waitFor();
    await page.getByText("12.000").waitFor();
    await expectAccessible(page, "verify-es-3-prove");
    await press(page, /^Demostrar tu cuenta/);
    await pickAlice(page);
    await arriveAt(page, "¿Es correcto?");
    await expectAccessible(page, "verify-es-4-check");
    await page.getByLabel("Idioma").selectOption("English");
    await arriveAt(page, "Is this right?");
    await page.reload();
    await arriveAt(page, "Is this right?");
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
    expect(person.complaints).to.deep.equal([]);
  });
});
