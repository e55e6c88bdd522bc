import { expect } from "chai";
import { encode } from "uqr";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, short, sizes } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

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
    await arriveAt(page, "Prove an account is yours");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
  });

  it("shows wallets without accounts, without icons or with a broken one, and with very long names", async () => {
    const { page, person, url } = await openFor();
    person.accounts = [];
    const name = "Wallet of the longest name ".repeat(8) + "W".repeat(200);
    await page.addInitScript(`addEventListener("eip6963:requestProvider", () => {
      const info = { uuid: "2", name: ${JSON.stringify(name)}, rdns: "example.long" };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: testWallet } }));
      const broken = { uuid: "3", name: "🦓 Zebra", rdns: "example.zebra", icon: "data:image/png;base64,AAAA" };
      // With another connection each time.
      for (const _time of [1, 2])
        dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info: broken, provider: { ...testWallet, on() { throw new Error("No."); } } } }));
    })`);
    await page.goto(url);
    const zebra = page.getByRole("button", { name: "Zebra" });
    await zebra.locator(".no-icon", { hasText: "🦓" }).waitFor();
    expect(await zebra.locator("img").count()).to.equal(0);
    // Who announces itself again takes its own place: here the test wallet, under another name.
    expect(await page.locator("button.choice").count()).to.equal(3);
    await press(page, /^Wallet of the longest name/);
    await page.getByText("Your wallet showed us no account.").waitFor();
    await expectAccessible(page, "verify-odd-wallets");
    person.accounts = [person.wallet.address];
    await press(page, /^Wallet of the longest name/);
    await arriveAt(page, "Sign in with your wallet");
    await person.tell("accountsChanged", []);
    await page.getByText("Your wallet disconnected from this page.").waitFor();
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
      await arriveAt(page, "Prove an account is yours");
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
      await page.getByText("Your wallet has shown its addresses again.").waitFor();
      person.rejects = true;
      await press(page, "Choose accounts in the wallet");
      await page.getByText("You declined in your wallet.").waitFor();
      person.rejects = false;
      person.accounts = [other, wallet.address];
      const before = person.asked.length;
      await press(page, "Choose accounts in the wallet");
      await arriveAt(page, "Sign in with your wallet");
      expect(person.asked.slice(before, before + 2).map(({ method }) => method)).to.deep.equal([
        "wallet_requestPermissions",
        "eth_requestAccounts",
      ]);
      expect(person.asked[before]?.params).to.deep.equal([{ eth_accounts: {} }]);
    });
  }

  it("says so when the account that the app asks for is not among those of the development wallet", async () => {
    const person = await openBrowser(browser(), { hasWallet: false });
    const { page } = person;
    await page.goto(pageUrl({ wallet: person.wallet.address }));
    await press(page, /^Development wallet/);
    await arriveAt(page, "Wrong wallet");
    await page.getByText("is not selected in your wallet").waitFor();
    expect(await page.getByLabel("Wallet account").count(), "none that would help").to.equal(0);
    await press(page, "Choose accounts in the wallet");
    const problem = page.getByText(
      "Your wallet has shown its addresses again. The one that the app asks for is not among them.",
    );
    await problem.waitFor();
    const texts = await page.locator("main button, .notice.bad").allInnerTexts();
    const pressed = texts.indexOf("Choose accounts in the wallet");
    expect(texts[pressed + 1], "right below the button").to.equal(await problem.innerText());
    await expectAccessible(page, "verify-still-missing");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
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

  it("leads a phone without a wallet into one, and elsewhere by a link and a code that it draws itself", async () => {
    const service = await serveElsewhere();
    const context = { ...sizes["a phone"], permissions: ["clipboard-read", "clipboard-write"] };
    const person = await openBrowser(browser(), { hasWallet: false, context });
    const { page } = person;
    await page.goto(`${service.url}/verify?redirect_uri=${app()}/&state=secret&wallet=${stack().user}`);
    await arriveAt(page, "You need a wallet");
    // Nobody has set up a provider there.
    await page.getByText(`asks for an account for wallet ${short(stack().user)}`).waitFor();
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
    const link = `${service.url}/verify?redirect_uri=${encodeURIComponent(`${app()}/`)}`;
    expect(await page.getByText(link, { exact: true }).count()).to.equal(1);
    expect(await page.getByText("Link copied.").count()).to.equal(0);
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
    // A computer opens no app of a phone.
    expect(await page.getByRole("link", { name: /^Open in/ }).count()).to.equal(0);
    await press(page, /^Go back to/);
    await backAtApp(page);
    expect(page.url()).to.equal(`${app()}/?error=no_wallet`);
    expectNoStrangers(person, [service.url, app()]);
  });
});
