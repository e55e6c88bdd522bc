import { expect } from "chai";
import { encode } from "uqr";
import { countShifts } from "../../fixtures/web/layoutShifts.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, expectInSight, press, sizes } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("Wallets on the verify page", function () {
  this.timeout(60_000);
  const { app, backAtApp, browser, openFor, pageUrl, serveElsewhere, stack } = useVerifyPage();

  it("uses window.ethereum if no wallet announces itself", async () => {
    const person = await openBrowser(browser(), { found: "injected" });
    const { page } = person;
    await page.goto(pageUrl());
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    person.accounts = [person.wallet.address, person.wallet.address.toLowerCase()];
    await press(page, "This browser’s wallet");
    await arriveAt(page, "Sign in with your wallet");
    expect(await page.getByLabel("Wallet account").count(), "one account").to.equal(0);
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
  });

  it("shows wallets without accounts, without icons or with a broken one, and with very long names", async () => {
    const { page, person, url } = await openFor();
    person.accounts = [];
    const name = "Wallet of the longest name ".repeat(8) + "W".repeat(200);
    await page.addInitScript(`addEventListener("eip6963:requestProvider", () => {
      const info = { uuid: "2", name: ${JSON.stringify(name)}, rdns: "example.long" };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: testWallet } }));
      const broken = { uuid: "3", name: "🦓\\u202e Zebra", rdns: "example.zebra", icon: "data:image/png;base64,AAAA" };
      // With another connection each time.
      for (const _time of [1, 2])
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info: broken, provider: { ...testWallet, on() { throw new Error("No."); } } } }));
    })`);
    await page.goto(url);
    const zebra = page.getByRole("button", { name: "Zebra" });
    await zebra.locator(".no-icon", { hasText: "🦓" }).waitFor();
    expect(await zebra.locator("img").count()).to.equal(0);
    // A wallet that announces itself again keeps its place: here the test wallet, under another name.
    expect(await page.locator("button.choice").count()).to.equal(3);
    await page.setViewportSize({ width: 360, height: 420 });
    await press(page, /^Wallet of the longest name/);
    await expectInSight(page, page.getByText("Your wallet showed us no account."));
    await expectAccessible(page, "verify-odd-wallets");
    person.accounts = [person.wallet.address];
    await press(page, /^Wallet of the longest name/);
    await arriveAt(page, "Sign in with your wallet");
    await person.tell("accountsChanged", []);
    await page.getByText("Your wallet disconnected from this page.").waitFor();
    person.rejects = true;
    await zebra.click();
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    await zebra.click();
    await arriveAt(page, "Sign in with your wallet");
  });

  it("lists the development wallet once, however often somebody signs out", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    const wallets = page.getByRole("button", { name: /^Development wallet/ });
    await page.goto(pageUrl());
    await wallets.waitFor();
    for (const _time of [1, 2]) {
      await press(page, /^Test wallet/);
      await press(page, "Sign in");
      await arriveAt(page, "Verify your account");
      await press(page, "Sign out or use another wallet");
      await page.getByRole("button", { name: /^Test wallet/ }).waitFor();
    }
    await wallets.first().waitFor();
    expect(await wallets.count()).to.equal(1);
  });

  for (const [can, says] of [
    [true, "asks for the accounts anew"],
    [false, "asks for the accounts where it cannot ask for permissions"],
  ] as const) {
    it(`has the person choose in a wallet that shows another account, which ${says}`, async () => {
      const { page, person, wallet, other, url } = await openFor();
      person.accounts = [other];
      if (!can) person.lacks.add("wallet_requestPermissions");
      await page.goto(url);
      await press(page, /^Test wallet/);
      await arriveAt(page, "Wrong wallet");
      await press(page, "Choose accounts in the wallet");
      await page.getByText("That address is still not selected in your wallet.").waitFor();
      person.rejects = true;
      await press(page, "Choose accounts in the wallet");
      await page.getByText("You declined in your wallet.").waitFor();
      await expectWholeScreen(page, "verify-choice-declined");
      person.rejects = false;
      person.accounts = [other, wallet.address];
      await press(page, "Choose accounts in the wallet");
      await arriveAt(page, "Sign in with your wallet");
      const [permit, connect] = ["wallet_requestPermissions", "eth_requestAccounts"];
      // A person who declines is not asked again at once; a wallet that cannot ask has not declined.
      const declined = can ? [permit] : [permit, connect];
      const asked = person.asked.filter(({ method }) => method !== "eth_chainId");
      expect(asked.map(({ method }) => method)).to.deep.equal([
        connect,
        permit,
        connect,
        ...declined,
        permit,
        connect,
      ]);
      expect(asked[1]?.params).to.deep.equal([{ eth_accounts: {} }]);
    });
  }

  it("says nothing beside another wallet of what happened with the right one", async () => {
    const { page, person, wallet, other, url } = await openFor();
    const tell = async (account: string) => {
      person.accounts = [account];
      await person.tell("accountsChanged", [account]);
    };
    const expectSilence = async () => {
      expect(await page.getByText("You declined in your wallet.").count()).to.equal(0);
      expect(await page.getByText("The account in your wallet has changed.").count()).to.equal(0);
    };
    await page.goto(url);
    await press(page, /^Test wallet/);
    person.rejects = true;
    await press(page, "Sign in");
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    await tell(other);
    await arriveAt(page, "Wrong wallet");
    await expectSilence();
    await tell(wallet.address);
    await arriveAt(page, "Sign in with your wallet");
    await expectSilence();
    // While the wallet asks for a signature.
    person.waitsFor = new Promise(() => undefined);
    await press(page, "Sign in");
    await page.getByText("it is asking").waitFor();
    await tell(other);
    await arriveAt(page, "Wrong wallet");
    await expectSilence();
    person.waitsFor = undefined;
    await tell(wallet.address);
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });

  it("says so when the account that the app asks for is not among those of the development wallet", async () => {
    const person = await openBrowser(browser(), { hasWallet: false });
    const { page } = person;
    await page.goto(pageUrl({ wallet: person.wallet.address }));
    await press(page, /^Development wallet/);
    await arriveAt(page, "Wrong wallet");
    await press(page, "Choose accounts in the wallet");
    await page.getByText("That address is still not selected in your wallet.").waitFor();
    await expectAccessible(page, "verify-still-missing");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
  });

  it("names a network that it does not know by its chain id", async () => {
    const { page, person, url } = await openFor();
    person.chainId = 1;
    await page.route("**/verify/overview*", async (route) => {
      const response = await route.fetch();
      const { development, ...overview } = await response.json();
      await route.fulfill({ response, json: { ...overview, chainId: 4242 } });
    });
    await page.goto(url);
    await press(page, /^Test wallet/);
    await page.getByText("This page uses the network with chain id 4242.").waitFor();
    await press(page, "Switch to the network with chain id 4242");
    await page.getByText("Switch to the network with chain id 4242 in the wallet itself.").waitFor();
  });

  it("offers to add the network and change to it, and looks again by itself", async () => {
    const { page, person, url } = await openFor();
    person.chainId = 1;
    await page.goto(url);
    await press(page, /^Test wallet/);
    const notice = page.getByText("Your wallet is on a different network");
    await notice.waitFor();
    await expectAccessible(page, "verify-other-network");
    person.rejects = true;
    await press(page, /^Switch to/);
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    person.lacks.add("wallet_switchEthereumChain");
    await press(page, /^Switch to/);
    await page.getByText("Switch to localhost-84532 in the wallet itself.").waitFor();
    person.lacks.clear();
    await press(page, /^Switch to/);
    await notice.waitFor({ state: "detached" });
    const added = person.asked.find(({ method }) => method === "wallet_addEthereumChain");
    expect(added?.params[0])
      .to.include({ chainId: "0x14a34" })
      .and.to.have.deep.property("rpcUrls", [stack().rpcUrl]);
    person.chainId = 10;
    await person.tell("chainChanged", "0xa");
    await notice.waitFor();
    person.chainId = 84532;
    await person.tell("chainChanged", "0x14a34");
    await notice.waitFor({ state: "detached" });
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });

  it("moves nothing for a wallet on another chain, when the page is loaded again during the sign-in", async () => {
    const { page, person, url } = await openFor();
    person.chainId = 1;
    const readShifts = await countShifts(page);
    await page.goto(url);
    await press(page, /^Test wallet/);
    await page.getByText("Your wallet is on a different network").waitFor();
    await page.reload();
    await page.getByText("Your wallet is on a different network").waitFor();
    expect(await readShifts()).to.be.at.most(0.02);
  });

  /** Has the wallet say after one and a half seconds which chain it is on. */
  const slowChain = `{
    const { request } = testWallet;
    testWallet.request = async (asked) => {
      const answer = await request(asked);
      if (asked.method === "eth_chainId") await new Promise((done) => setTimeout(done, 1_500));
      return answer;
    };
  }`;

  for (const [size, viewport] of [
    ["a laptop", { width: 1280, height: 800 }],
    ["a phone", { width: 390, height: 844 }],
  ] as const) {
    it(`moves nothing of the sign-in at a first visit for a wallet that is slow to say which chain, on ${size}`, async () => {
      const { page, person } = await openFor({ viewport });
      person.chainId = 1;
      const readShifts = await countShifts(page);
      await page.addInitScript(slowChain);
      await page.goto(pageUrl({ providers: "" }));
      await press(page, /^Test wallet/);
      await arriveAt(page, "Sign in with your wallet");
      const before = await readShifts();
      await page.waitForTimeout(1_700);
      expect(await page.getByText("Your wallet is on a different network").count()).to.equal(1);
      expect((await readShifts()) - before).to.be.at.most(0.001);
    });

    it(`moves nothing then for a wallet that is slow to say which chain, either, on ${size}`, async () => {
      const { page, person } = await openFor({ viewport });
      person.chainId = 1;
      const readShifts = await countShifts(page);
      await page.goto(pageUrl({ providers: "" }));
      await press(page, /^Test wallet/);
      const notice = page.getByText("Your wallet is on a different network");
      await notice.waitFor();
      await page.addInitScript(slowChain);
      await page.reload();
      await notice.waitFor();
      await page.waitForTimeout(1_700);
      expect(await notice.count()).to.equal(1);
      expect(await readShifts()).to.be.at.most(0.02);
    });
  }

  it("leads a phone without a wallet into one, and elsewhere by a link and a code that it draws itself", async () => {
    const service = await serveElsewhere();
    const context = { ...sizes["a phone"], permissions: ["clipboard-read", "clipboard-write"] };
    const person = await openBrowser(browser(), { hasWallet: false, context });
    const { page } = person;
    await page.goto(`${service.url}/verify?redirect_uri=${app()}/&state=secret&wallet=${stack().user}`);
    await arriveAt(page, "You need a wallet");
    await expectAccessible(page, "verify-phone");
    const link = `${service.url}/verify?redirect_uri=${encodeURIComponent(`${app()}/`)}&wallet=${stack().user}`;
    const links = await page
      .getByRole("link", { name: /^Open in/ })
      .evaluateAll((found) => found.map((each) => (each as unknown as { href: string }).href));
    expect(links).to.deep.equal([
      `https://link.metamask.io/dapp/${link.replace("http://", "")}`,
      `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(link)}`,
      `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(link)}`,
    ]);
    await press(page, "Copy the link");
    await page.getByText("Link copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(link);
    const drawn = await page
      .getByRole("img", { name: /^QR code/ })
      .locator("path")
      .last()
      .getAttribute("d");
    const squares = [...(drawn ?? "").matchAll(/M(\d+),(\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
    const { data } = encode(link, { border: 4, ecc: "L" });
    expect(squares).to.deep.equal(
      data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`${x} ${y}`] : []))),
    );
    expectNoStrangers(person, [service.url]);
  });

  it("shows the link to copy by hand where the browser lets no page copy", async () => {
    const service = await serveElsewhere();
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.addInitScript("navigator.clipboard.writeText = () => Promise.reject(new Error('No.'))");
    await page.goto(`${service.url}/verify?redirect_uri=${app()}/&state=secret`);
    await press(page, "Copy the link");
    await page.getByText("Copy the link from here:").waitFor();
    await expectWholeScreen(page, "verify-copy-by-hand");
  });

  it("finds a wallet that comes in after the page", async () => {
    const service = await serveElsewhere();
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(`${service.url}/verify?redirect_uri=${app()}/`);
    await arriveAt(page, "You need a wallet");
    await page.evaluate(`{
      window.ethereum = { request: async () => [] };
      dispatchEvent(new Event("ethereum#initialized"));
    }`);
    await arriveAt(page, "Connect a wallet");
    await page.getByRole("button", { name: "This browser’s wallet" }).waitFor();
  });

  it("explains what a wallet is where there is none, and offers no development wallet elsewhere", async () => {
    const service = await serveElsewhere();
    const person = await openBrowser(browser(), { hasWallet: false });
    const { page } = person;
    await page.goto(`${service.url}/verify?redirect_uri=${app()}/`);
    await arriveAt(page, "You need a wallet");
    await expectAccessible(page, "verify-no-wallet");
    await Promise.all([page.waitForEvent("load"), press(page, "Check again")]);
    await press(page, /^Go back to/);
    await backAtApp(page);
    expect(page.url()).to.equal(`${app()}/?error=no_wallet`);
    expectNoStrangers(person, [service.url, app()]);
  });
});
