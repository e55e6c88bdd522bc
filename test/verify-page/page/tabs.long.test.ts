import { expect } from "chai";
import { Wallet } from "ethers";
import type { Page } from "playwright-core";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { expectAccessible, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press } from "../../fixtures/web/screen.ts";

describe("The verify page in two tabs", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });

  /** A tab that shows the account of one wallet; the browser's wallet has another one, too. */
  async function fixture() {
    const [first, second] = [Wallet.createRandom(), Wallet.createRandom()];
    const chosen = { address: first.address, sign: (message: Uint8Array) => first.signMessage(message) };
    const { page: tab } = await openBrowser(browser(), chosen);
    await signIn(tab);
    await storeAccount(tab, "Alice");
    const other = await tab.context().newPage();

    /** Signs in with the second wallet in the other tab. */
    async function takeSecondWallet(): Promise<void> {
      await signOut();
      Object.assign(chosen, {
        address: second.address,
        sign: (message: Uint8Array) => second.signMessage(message),
      });
      await signIn(other);
      await storeAccount(other, "Bob");
    }
    async function signOut(): Promise<void> {
      await other.goto(`${stack.service.url}/verify`);
      await press(other, "Sign out or use another wallet");
      await arriveAt(other, "Connect a wallet");
    }
    return { tab, other, first, second, takeSecondWallet, signOut };
  }

  async function signIn(tab: Page): Promise<void> {
    await tab.goto(`${stack.service.url}/verify`);
    await press(tab, /^Test wallet/);
    await press(tab, "Sign in");
    await arriveAt(tab, "Your accounts");
  }

  async function storeAccount(tab: Page, name: string): Promise<void> {
    await press(tab, /^(Continue to )?Microblog/);
    await press(tab, `Continue as ${name}`);
    await press(tab, "Store it");
    await tab.getByRole("article", { name: /Microblog/ }).waitFor();
  }

  const stored = async (wallet: string) => (await stack.store.list({ wallet })).length;

  it("deletes nothing of another tab's wallet, and leads on", async () => {
    const { tab, first, second, takeSecondWallet } = await fixture();
    await press(tab, "Delete");
    await takeSecondWallet();
    await press(tab, "Delete it for good");
    await arriveAt(tab, "Something has changed");
    expect([await stored(first.address), await stored(second.address)]).to.deep.equal([1, 1]);
    await expectAccessible(tab, "verify-stale");
    await press(tab, "Show the current page");
    await tab.getByTitle(second.address).waitFor();
    await tab.getByRole("article", { name: /Microblog/ }).waitFor();
  });

  it("says nothing of what was done for one wallet to the one that another tab has signed in with since", async () => {
    const { tab, second, takeSecondWallet } = await fixture();
    await press(tab, "Delete");
    let read = () => {};
    const isSignedIn = new Promise<void>((resolve) => {
      read = resolve;
    });
    await tab.route(
      "**/verify/overview*",
      async (route) => {
        await isSignedIn;
        await route.continue();
      },
      { times: 1 },
    );
    const asked = tab.waitForRequest("**/verify/overview*");
    await press(tab, "Delete it for good");
    await asked;
    await takeSecondWallet();
    read();
    await tab.getByTitle(second.address).waitFor();
    // By then, it would have been said.
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(await tab.getByText(/is deleted here for good/).count()).to.equal(0);
  });

  it("leads a person who has signed out in another tab to signing in", async () => {
    const { tab, first, signOut } = await fixture();
    await press(tab, "Delete");
    await signOut();
    await press(tab, "Delete it for good");
    await tab.getByText(/no longer signed in/).waitFor();
    expect(await stored(first.address)).to.equal(1);
    await press(tab, "Sign in");
    await tab.getByRole("article", { name: /Microblog/ }).waitFor();
  });

  it("asks which wallet, after signing out where one was chosen that signed in in another tab", async () => {
    const { page: tab, asked } = await openBrowser(browser());
    await tab.goto(`${stack.service.url}/verify`);
    await press(tab, /^Test wallet/);
    await arriveAt(tab, "Sign in with your wallet");
    await signIn(await tab.context().newPage());
    await tab.reload();
    await arriveAt(tab, "Your accounts");
    const before = asked.length;
    await press(tab, "Sign out or use another wallet");
    await tab.getByRole("button", { name: /^Test wallet/ }).waitFor();
    // By then, it would have gone on with the wallet that was chosen before.
    await tab.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(asked.slice(before)).to.deep.equal([]);
    await arriveAt(tab, "Connect a wallet");
  });

  it("says of no other tab's way to a provider that it led back here", async () => {
    const { tab, other } = await fixture();
    await other.goto(`${stack.service.url}/verify`);
    await press(other, /^(Continue to )?Microblog/);
    await arriveAt(other, /^Sign in to/);
    await tab.reload();
    await arriveAt(tab, "Your accounts");
    expect(await tab.getByText(/before you finished/).count()).to.equal(0);
  });

  it("shows nothing of a wallet that has signed out", async () => {
    const { tab, first, signOut } = await fixture();
    await signOut();
    await tab.getByTitle(first.address).waitFor();
    // A browser fires this when it restores a page; the automated one never does.
    await tab.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
    await arriveAt(tab, "Connect a wallet");
    expect(await tab.getByTitle(first.address).count()).to.equal(0);
  });
});
