import { expect } from "chai";
import type { Page } from "playwright-core";
import { expectAccessible } from "../../fixtures/web/person.ts";
import { arriveAt, expectInSight, press } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("A person who comes back to the verify page in the middle", function () {
  this.timeout(60_000);
  const { backAtApp, openFor, outcome, pageUrl, pickAlice, signIn, stack, success } = useVerifyPage();

  it("goes on, with the app's return address and state, after a sign-in that was used already", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Continue to/);
    const callback = page.waitForRequest(/\/verify\/callback\//);
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    // A reload, or Back, makes a browser request it again.
    await page.goto((await callback).url());
    await page.getByText("was already used").waitFor();
    await press(page, /^Store it and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  for (const [answer, arrived, goOn] of [
    ["Deny access", "You denied access", "Try again"],
    ["Continue as Alice", "Store this account?", /^Store it and go back/],
  ] as const) {
    it(`keeps what the app asked when Back leads to the provider’s page after “${answer}” there`, async () => {
      const { page, person, url } = await openFor();
      await signIn(person, url);
      await press(page, /^Continue to/);
      await press(page, answer);
      await arriveAt(page, arrived);
      await page.goBack();
      await arriveAt(page, "This sign-in is done");
      await expectWholeScreen(page, "sandbox-done", "body");
      await page.getByRole("link", { name: /^Go to the verify page/ }).click();
      await arriveAt(page, arrived);
      await expectWholeScreen(page, `verify-back-after-${answer === "Deny access" ? "denial" : "choice"}`);
      await press(page, goOn);
      if (answer === "Deny access") {
        await pickAlice(page);
        await press(page, /^Store it and go back/);
      }
      await backAtApp(page);
      expect(outcome(page)).to.deep.equal(success);
    });
  }

  it("is told after Back from the provider that the sign-in is unfinished, and can go there again", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Continue to/);
    await arriveAt(page, /^Sign in to/);
    await page.goBack();
    await page.getByText("You came back from Microblog (sandbox) before you finished there.").waitFor();
    await expectAccessible(page, "verify-unfinished");
    await press(page, /^Continue to/);
    await pickAlice(page);
    await press(page, /^Store it and go back/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal(success);
  });

  it("can go on at once on a page that the browser restores", async () => {
    const { page, person, url } = await openFor();
    await page.clock.install();
    await signIn(person, url);
    // The provider's page never comes.
    await page.route(`${stack().sandbox.url}/**`, (route) => route.fulfill({ status: 204 }));
    await press(page, /^Continue to/);
    await page.getByText("Going to Microblog").waitFor();
    const prove = page.getByRole("button", { name: /^Continue to/ });
    expect(await prove.getAttribute("aria-disabled")).to.equal("true");
    // A browser fires this when it restores a page; the automated one never does.
    await page.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`);
    await page.getByText("Going to Microblog").waitFor({ state: "detached", timeout: 5_000 });
    expect(await prove.getAttribute("aria-disabled")).to.equal("false");
    await press(page, /^Continue to/);
    await page.getByText("Going to Microblog").waitFor();
    await page.clock.fastForward(14_000);
    expect(await prove.getAttribute("aria-disabled")).to.equal("true");
    await page.clock.fastForward(2_000);
    await page.getByText("Going to Microblog").waitFor({ state: "detached", timeout: 5_000 });
  });

  it("goes on with the sign-in after a reload in the middle of it", async () => {
    const { page, person, wallet } = await openFor();
    person.accounts = [wallet.address];
    const url = pageUrl();
    await page.goto(url);
    await press(page, /^Test wallet/);
    await arriveAt(page, "Sign in with your wallet");
    await page.reload();
    await arriveAt(page, "Sign in with your wallet");
    await page.getByTitle(wallet.address).waitFor();
    await press(page, "Sign in");
    await arriveAt(page, "Verify your account");
  });

  it("shows nobody the wallet of an ended session", async () => {
    const { page, person, wallet } = await openFor();
    person.accounts = [wallet.address];
    await signIn(person, pageUrl());
    await page.getByTitle(wallet.address).waitFor();
    await page.context().clearCookies();
    await page.reload();
    await arriveAt(page, "Connect a wallet");
    const asked = person.asked.length;
    await page.getByRole("button", { name: /^Test wallet/ }).waitFor();
    // By then, it would have gone on with the wallet that was chosen before.
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
    expect(person.asked.slice(asked)).to.deep.equal([]);
    expect(await page.getByTitle(wallet.address).count()).to.equal(0);
  });

  const ends: Record<string, (page: Page) => Promise<void>> = {
    "that was away too long": (page) => page.context().clearCookies(),
    "whose session the operator has ended": () => stack().store.endSessions(),
  };
  for (const [who, end] of Object.entries(ends)) {
    it(`has somebody ${who} sign in again by one button, and keeps what the app asked`, async () => {
      const { page, person, url } = await openFor();
      await signIn(person, url);
      await end(page);
      await press(page, /^Continue to/);
      await page.getByText("You are no longer signed in").waitFor();
      await expectInSight(page, page.getByRole("button", { name: "Sign in", exact: true }));
      await expectAccessible(page, "verify-session-ended");
      await press(page, "Sign in");
      await pickAlice(page);
      await press(page, /^Store it and go back/);
      await backAtApp(page);
      expect(outcome(page)).to.deep.equal(success);
    });
  }
});
