import { expect } from "chai";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

describe("The verify page in a browser", function () {
  this.timeout(60_000);
  const { app, backAtApp, browser, pageUrl, stack } = useVerifyPage();

  it("leads a person from the app through every step and back", async () => {
    const person = await openBrowser(browser());
    const { page } = person;
    await page.goto(pageUrl({ state: "the app's own" }));
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    await expectAccessible(page, "verify-1-connect");
    await press(page, /Test wallet/);
    await arriveAt(page, "Sign in with your wallet");
    await expectAccessible(page, "verify-2-sign-in");
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
    await expectAccessible(page, "verify-3-prove");
    await press(page, "Continue to Microblog (sandbox)");
    await arriveAt(page, "Sign in to Microblog");
    await expectAccessible(page, "sandbox", "body");
    await press(page, "Continue as Alice");
    await arriveAt(page, "Store this account?");
    await expectAccessible(page, "verify-4-check");
    await press(page, /^Store it and go back to 127/);
    await arriveAt(page, "Your Microblog (sandbox) account is stored");
    expect(await page.locator("[aria-current=step]").innerText()).to.equal("4. Return");
    await backAtApp(page);
    expect(page.url()).to.equal(`${app()}/claim?tab=2&success=true&state=the+app%27s+own`);
    expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl, app()]);
  });
});
