import { expect } from "chai";
import { Wallet } from "ethers";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, expectInSight, press, short, sizes, tabTo } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("The way through the verify page", function () {
  this.timeout(60_000);
  const {
    app,
    backAtApp,
    browser,
    openFor,
    outcome,
    pageUrl,
    pickAlice,
    setCredential,
    signIn,
    stack,
    success,
  } = useVerifyPage();

  for (const [device, context] of Object.entries(sizes)) {
    it(`leads from the service's refusal to a verification for the wallet that was refused, on ${device}`, async () => {
      const person = await openBrowser(browser(), { context });
      const { page, wallet } = person;
      person.accounts = [Wallet.createRandom().address, wallet.address];
      const consumer = await (await stack().deployConsumer()).getAddress();
      const ask = async () => requestVerification(stack().service.url, await signedRequest(wallet, consumer));
      const refused = await ask();
      expect(refused.body.code).to.equal("verification_not_found");
      const url = new URL(String(refused.body.verifyUrl));
      expect(url.searchParams.get("wallet")).to.equal(wallet.address);
      url.searchParams.set("redirect_uri", `${app()}/claim`);

      const asks = `${new URL(app()).host} asks for your Microblog (sandbox) account for wallet ${short(wallet.address)}`;
      const purpose = page.getByText(asks);
      const expectOnce = async () => {
        const text = await page.locator("body").innerText();
        expect(text.split(short(wallet.address)), text).to.have.length(2);
      };
      await page.goto(url.href);
      await expectInSight(page, purpose);
      await arriveAt(page, "Connect a wallet");
      await expectOnce();
      await press(page, /^Test wallet/);
      await arriveAt(page, "Sign in with your wallet");
      await expectOnce();
      await expectInSight(page, purpose);
      await expectInSight(page, page.getByRole("button", { name: "Sign in", exact: true }));
      if (device === "a laptop") await expectWholeScreen(page, "verify-leading-on");
      await press(page, "Sign in");
      // There is one provider to choose. Back leads to what there was to read.
      await arriveAt(page, /^Sign in to/);
      await page.goBack();
      await arriveAt(page, "Verify your account");
      await expectOnce();
      await expectInSight(page, page.getByRole("button", { name: /^Continue to/ }));
      // However much there is to read above it.
      await page.getByText("Apps see a code").click();
      if (device === "a phone") await expectInSight(page, page.getByRole("button", { name: /^Continue to/ }));
      await page.mouse.wheel(0, 5_000);
      await expectInSight(page, purpose);
      await press(page, "Continue to Microblog (sandbox)");
      await pickAlice(page);
      await arriveAt(page, "Store this account?");
      await expectOnce();
      await expectInSight(page, purpose);
      await press(page, /^Store it and go back/);
      await backAtApp(page);
      expect((await ask()).status).to.equal(200);
      expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl, app()]);
    });

    it(`keeps the focus where it is tried again after the wallet refused, on ${device}`, async () => {
      const { page, person, url } = await openFor(context);
      await page.goto(url);
      await press(page, /^Test wallet/);
      await arriveAt(page, "Sign in with your wallet");
      person.rejects = true;
      await tabTo(page, /^Sign in$/);
      await page.keyboard.press("Enter");
      await page.getByText("You declined in your wallet.").waitFor();
      if (device === "a laptop") await expectWholeScreen(page, "verify-declined");
      person.rejects = false;
      await page.keyboard.press("Enter");
      await arriveAt(page, /^Sign in to/);
    });

    it(`asks before another wallet is used than the app asks for, and follows the wallet, on ${device}`, async () => {
      const { page, person, wallet, other, url } = await openFor(context);
      person.accounts = [other];
      await page.goto(url);
      await press(page, /^Test wallet/);
      await arriveAt(page, "Wrong wallet");
      await expectAccessible(page, `verify-other-wallet-${device}`);
      await person.tell("accountsChanged", [wallet.address, other]);
      await arriveAt(page, "Sign in with your wallet");
      // There is nothing to choose: the wallet has what the app asks for.
      expect(await page.getByLabel("Wallet account").count()).to.equal(0);
      await person.tell("accountsChanged", [other]);
      await press(page, "Continue with this wallet anyway");
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    });

    it(`takes somebody who has proven the account back with success at once, on ${device}`, async () => {
      const { page, person, wallet } = await openFor(context);
      const now = Math.floor(Date.now() / 1000);
      await setCredential(wallet.address, now);
      // In the very second since when the app wants it proven.
      const url = pageUrl({ wallet: wallet.address, since: String(now) });
      await page.goto(url);
      await signIn(person, url);
      await expectInSight(page, page.getByRole("button", { name: `Continue to ${new URL(app()).host}` }));
      await expectAccessible(page, `verify-already-${device}`);
      await press(page, "Verify it again anyway");
      if (device === "a laptop") await expectWholeScreen(page, "verify-again");
      await press(page, "Verify it again anyway");
      await press(page, /^Continue to/);
      await backAtApp(page);
      expect(outcome(page)).to.deep.equal(success);
    });
  }

  it("leaves the focus to a person who moves it the moment a screen is there", async () => {
    const { page, url } = await openFor();
    await page.goto(url);
    await arriveAt(page, "Connect a wallet");
    const focused = page.evaluate<string>(`new Promise((resolve) => {
      new MutationObserver((changes, observer) => {
        const button = [...document.querySelectorAll("button")].find(({ innerText }) => innerText === "Sign in");
        if (button === undefined) return;
        observer.disconnect();
        button.focus();
        setTimeout(() => resolve(document.activeElement.innerText), 500);
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await press(page, /^Test wallet/);
    expect(await focused).to.equal("Sign in");
  });

  it("asks which wallet a person means", async () => {
    const { page, person, wallet, other } = await openFor();
    await signIn(person, pageUrl({ wallet: wallet.address }));
    await page.goto(pageUrl({ wallet: other }));
    await arriveAt(page, "Wrong wallet");
    await expectAccessible(page, "verify-other-session");
    await press(page, "Continue with this wallet anyway");
    await arriveAt(page, "Verify your account");
    await page.goto(pageUrl({ wallet: other }));
    await press(page, /^Go back to/);
    await backAtApp(page);
    expect(outcome(page)).to.deep.equal({ tab: "2", error: "cancelled", state: "its own" });
    await page.goBack();
    await press(page, "Sign in with the right wallet");
    await arriveAt(page, "Connect a wallet");
  });

  it("sends nobody back with an account that was proven too long ago for the app", async () => {
    const { page, person, wallet } = await openFor();
    const now = Math.floor(Date.now() / 1000);
    await setCredential(wallet.address, now - 86_400 * 40);
    await signIn(person, pageUrl({ wallet: wallet.address, since: String(now - 86_400) }));
    await expectAccessible(page, "verify-too-old");
  });

  it("says of no account that it is too old where another one is recent enough for the app", async () => {
    const { page, person, wallet } = await openFor();
    const now = Math.floor(Date.now() / 1000);
    await setCredential(wallet.address, now);
    const old = { provider: "exchange", accountId: wallet.address, traits: {} };
    await stack().store.set({ ...old, wallet: wallet.address, authenticatedAt: now - 86_400 * 40 });
    await signIn(person, pageUrl({ wallet: wallet.address, providers: "", since: String(now - 86_400) }));
    await arriveAt(page, "You have already verified this account");
    await page.getByRole("article", { name: "Exchange" }).waitFor();
    expect(await page.getByText("so verify it again").count()).to.equal(0);
  });

  it("tells an account that was proven too long ago from what the app asks by seconds, within a minute", async () => {
    const { page, person, wallet } = await openFor();
    const minute = Math.floor(Date.now() / 60_000 - 1) * 60;
    await setCredential(wallet.address, minute + 10);
    await signIn(person, pageUrl({ wallet: wallet.address, since: String(minute + 50) }));
    await page
      .getByText(/You verified .* at \d+:\d\d:10\b.* needs it verified .* at \d+:\d\d:50\b/)
      .waitFor();
  });

  it("covers nothing of what is to be stored with its two answers, on the smallest phone, in either language", async () => {
    const { page, person, url } = await openFor({
      ...sizes["a phone"],
      viewport: { width: 320, height: 640 },
    });
    await signIn(person, url);
    await press(page, /^Continue to/);
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    for (const language of ["es", "en"]) {
      await page.locator(".language select").selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      const answers = await page.locator(".next button").all();
      expect(answers).to.have.length(2);
      for (const end of [0, 1]) {
        await page.evaluate(`scrollTo(0, ${end} * document.body.scrollHeight)`);
        const [list, next] = [
          await page.locator("main dl").boundingBox(),
          await page.locator(".next").boundingBox(),
        ];
        expect((list?.y ?? 0) + (list?.height ?? 0)).to.be.below(next?.y ?? 0);
      }
      await answers.at(-1)?.scrollIntoViewIfNeeded();
      for (const answer of answers) await expectInSight(page, answer);
    }
  });

  it("leads to both answers below the details that a person has opened, on a small phone", async () => {
    const { page, person, url } = await openFor({
      ...sizes["a phone"],
      viewport: { width: 360, height: 640 },
    });
    await signIn(person, url);
    await press(page, /^Continue to/);
    await pickAlice(page);
    await arriveAt(page, "Store this account?");
    const answers = page.getByRole("button", { name: /tore it/ });
    await page.getByText("Apps see a code").click();
    await expectWholeScreen(page, "verify-consequences");
    const tops = await answers.evaluateAll((buttons) =>
      buttons.map((button) => button.getBoundingClientRect().top),
    );
    expect(tops).to.have.length(2);
    expect(Math.min(...tops), "out of sight").to.be.above(640);
  });
});
