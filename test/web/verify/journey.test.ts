import { expect } from "chai";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, readFocus } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

describe("The verify page in a browser", function () {
  this.timeout(60_000);
  const { app, backAtApp, browser, pageUrl, stack } = useVerifyPage();

  it("leads a person from the app through every step and back", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    /** Waits for a screen, which says by its heading and among the steps which one it is. */
    const expectStep = async (title: string, step: string) => {
      await arriveAt(page, title);
      expect(await page.locator("header b").innerText()).not.to.equal(title);
      const steps = page.getByRole("navigation", { name: "Steps" }).getByRole("listitem");
      expect(await steps.count()).to.equal(4);
      expect(await steps.and(page.locator("[aria-current=step]")).allInnerTexts()).to.deep.equal([step]);
    };
    await page.goto(pageUrl({ state: "the app's own" }));
    await expectStep("Connect a wallet", "1. Wallet");
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    const wallets = await page.locator("button.choice").allInnerTexts();
    expect(wallets.map((text) => text.split("\n").at(-1))).to.deep.equal([
      "Test wallet",
      "Development wallet for development only",
    ]);
    await expectAccessible(page, "verify-1-connect");
    await press(page, /Test wallet/);
    await expectStep("Sign in with your wallet", "1. Wallet");
    await expectAccessible(page, "verify-2-sign-in");
    await press(page, "Sign in");
    await expectStep("Prove an account is yours", "2. Account");
    await expectAccessible(page, "verify-3-prove");
    await press(page, "Continue to Microblog (sandbox)");
    await arriveAt(page, "Sign in to Microblog");
    await page.getByText(`${new URL(stack().service.url).host} would read:`).waitFor();
    const readTraits = () => page.locator("dl").first().locator("dt, dd").allInnerTexts();
    const atProvider = await readTraits();
    expect(atProvider.slice(0, 2)).to.deep.equal(["Followers", "1,200"]);
    expect(await readFocus(page)).to.equal("Sign in to Microblog");
    await expectAccessible(page, "sandbox");
    await press(page, "Continue as Alice");
    await expectStep("Store this account?", "3. Check");
    const account = ["Account", "Alice (shown only to you, not stored)"];
    expect(await readTraits()).to.deep.equal([...account, ...atProvider]);
    await expectAccessible(page, "verify-4-check");
    await press(page, /^Store it and go back to 127/);
    await expectStep("Your Microblog (sandbox) account is stored", "4. Return");
    await backAtApp(page);
    expect(page.url()).to.equal(`${app()}/claim?tab=2&success=true&state=the+app%27s+own`);
    expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl, app()]);
  });
});
