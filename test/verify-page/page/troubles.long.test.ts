import { expect } from "chai";
import { expectAccessible, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("Trouble on the way through the verify page", function () {
  this.timeout(60_000);
  const { browser, openFor, pageUrl, stack } = useVerifyPage();

  it("names who has the trouble, and goes on once it is over", async () => {
    const { page, person, url } = await openFor();
    const html = { status: 502, contentType: "text/html", body: "<html><h1>502 Bad Gateway</h1></html>" };
    // An answer of another service cannot be read, either.
    for (const answer of [{ json: {} }, html])
      await page.route("**/verify/overview*", (route) => route.fulfill(answer), { times: 1 });
    await page.goto(url);
    await arriveAt(page, "We cannot show this page right now");
    await expectAccessible(page, "verify-bad-gateway");
    const said = page.evaluate(`new Promise((resolve) => new MutationObserver((changes) => {
      const [added] = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter(({ role }) => role === "alert");
      if (added) resolve(added.textContent);
    }).observe(document.querySelector("main"), { childList: true, subtree: true }))`);
    await press(page, "Try again");
    expect(await said, "said again").to.match(/^We got an answer that we did not expect/);
    await press(page, "Try again");
    await press(page, /^Test wallet/);
    const problems = {
      "We got an answer that we did not expect": html,
      "The service cannot reach the blockchain right now": {
        status: 503,
        json: { code: "chain_unavailable", detail: "No." },
      },
      "The service cannot reach its database right now": {
        status: 503,
        json: { code: "store_unavailable", detail: "No." },
      },
      "This page is out of date. Reload it": {
        status: 403,
        json: { code: "foreign_origin", detail: "No." },
      },
      "Too many attempts": { status: 429, json: { code: "rate_limited", detail: "No." } },
      "That signature is not from": { status: 400, json: { code: "invalid_argument", detail: "No." } },
      "That message was already used": { status: 401, json: { code: "not_signed_in", detail: "No." } },
    };
    for (const [sentence, answer] of Object.entries(problems)) {
      await page.route("**/verify/link", (route) => route.fulfill(answer), { times: 1 });
      await press(page, "Sign in");
      await page.getByRole("status").getByText(sentence).waitFor();
    }
    await page.route("**/verify/message", (route) => route.abort(), { times: 1 });
    await press(page, "Sign in");
    await page.getByText("The service cannot be reached.").waitFor();
    const stale = { status: 409, json: { code: "stale_page", detail: "No." } };
    await page.route("**/verify/link", (route) => route.fulfill(stale), { times: 1 });
    await press(page, "Sign in");
    await arriveAt(page, "Something has changed");
    await press(page, "Show the current page");
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
    expect(person.complaints).to.deep.equal([]);
  });

  it("says that the local chain is down, and not that the wallet failed", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(pageUrl());
    await page.route(`${stack().rpcUrl}/**`, (route) => route.abort());
    await press(page, /^Development wallet/);
    await page.getByText("The local chain does not answer.").waitFor();
    await page.unrouteAll();
    await press(page, /^Development wallet/);
    await arriveAt(page, "Sign in with your wallet");
  });

  it("says what it waits for: the wallet while that asks, the chain while the service does", async () => {
    const { page, person, url } = await openFor();
    let sign = () => {};
    const waitForPerson = () => {
      person.waitsFor = new Promise((resolve) => {
        sign = resolve;
      });
    };
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/verify/link", async (route) => {
      await answered;
      await route.continue();
    });
    await page.goto(url);
    waitForPerson();
    await press(page, /^Test wallet/);
    await page.getByText("Check your wallet: it is asking to connect.").waitFor();
    await expectWholeScreen(page, "verify-connecting");
    sign();
    await arriveAt(page, "Sign in with your wallet");
    person.rejects = true;
    await press(page, "Sign in");
    await page.getByText("You declined in your wallet.").waitFor();
    person.rejects = false;
    waitForPerson();
    await press(page, "Sign in");
    await page.getByText("Check your wallet: it is asking for your signature.").waitFor();
    await expectWholeScreen(page, "verify-signing");
    sign();
    await page.getByText("Checking your signature on the chain").waitFor();
    await expectAccessible(page, "verify-checking");
    answer();
    await arriveAt(page, /^Sign in to/);
  });
});
