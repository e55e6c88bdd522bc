import { expect } from "chai";
import { serveStackWithDemo } from "../../fixtures/signer/stack.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { countShifts } from "../../fixtures/web/layoutShifts.ts";
import { openBrowser } from "../../fixtures/web/person.ts";
import { expectInSight, sizes } from "../../fixtures/web/screen.ts";
import { countWaits, hold, line, notePosts, noteStarting, slowDown } from "../../fixtures/web/slowLine.ts";

describe("The demo on a slow line", function () {
  this.timeout(120_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveStackWithDemo>>;
  before(async () => {
    stack = await serveStackWithDemo();
  });

  it("draws at once where others were first, and deploys only what is claimed from", async () => {
    const stack = await serveStackWithDemo();
    const accounts = (await stack.wallet.request({ method: "eth_accounts" })) as string[];
    for (const account of accounts.slice(1, 13))
      await stack.provider.send("hardhat_setNonce", [account, "0x1"]);
    const { page } = await openBrowser(browser(), { hasWallet: false });
    const waits = await countWaits(page, `${stack.rpcUrl}/**`);
    const deployed = await stack.provider.getTransactionCount(accounts[0] ?? "");
    await page.goto(stack.demo.url);
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    // Which chain, and whose wallets.
    expect(waits()).to.be.at.most(3);
    expect(await stack.provider.getTransactionCount(accounts[0] ?? "")).to.equal(deployed);
    const last = accounts[13] ?? "";
    await page
      .getByText(`${last.slice(0, 6)}…${last.slice(-4)}`)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Claim with Alice’s phone" }).click();
    await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
    expect(await stack.provider.getTransactionCount(accounts[0] ?? "")).to.equal(deployed + 1);
  });

  for (const [device, context] of Object.entries(sizes)) {
    it(`paints with what comes within a second and a half, and moves nothing when its cards come, on ${device}`, async () => {
      const { page } = await openBrowser(browser(), { hasWallet: false, context });
      page.setDefaultTimeout(60_000);
      await slowDown(page);
      const readShifts = await countShifts(page);
      await page.goto(stack.demo.url, { waitUntil: "commit" });
      await page.evaluate(`new Promise((done) => {
        new PerformanceObserver((list) => {
          if (list.getEntriesByName("first-contentful-paint").length > 0) done();
        }).observe({ type: "paint", buffered: true });
      })`);
      // The page, and the files that it waits for. Their time on the line does not depend on the machine.
      const sizes = await page.evaluate<number[]>(`
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .filter((entry) => entry.entryType === "navigation" || entry.renderBlockingStatus === "blocking")
          .map((entry) => entry.transferSize)
      `);
      expect(sizes).to.have.lengthOf.within(1, 2);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      expect(sizes.length * line.latency + (bytes / line.bytesPerSecond) * 1_000).to.be.within(400, 1_500);
      await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
      expect(await readShifts()).to.be.below(0.02);
    });

    it(`says what it waits for, and claims once when the button is pressed twice, on ${device}`, async () => {
      const { page } = await openBrowser(browser(), { hasWallet: false, context });
      page.setDefaultTimeout(60_000);
      await slowDown(page);
      const posts = notePosts(page);
      const says = (text: string | RegExp) => expectInSight(page, page.getByRole("status").getByText(text));

      const wasStarting = await noteStarting(page);
      const chain = await hold(page, `${stack.rpcUrl}/**`);
      await page.goto(stack.demo.url, { waitUntil: "commit" });
      await says("One moment");
      expect(await wasStarting()).to.equal(true);
      chain();

      // It says so itself while it waits.
      const button = page.getByRole("button", { name: /^(Claim with Alice’s phone|Claiming…)$/ });
      await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
      const place = await button.boundingBox();
      const answer = await hold(page, "**/v1/onchain_verifications");
      await button.dblclick();
      await says("The service is checking the account");
      await button.click({ force: true });
      expect(await button.boundingBox()).to.deep.equal(place);
      answer();
      await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
      const asked = posts.filter((post) => /^(personal_sign|onchain_verifications)$/.test(post));
      expect(asked).to.deep.equal(["personal_sign", "onchain_verifications"]);
    });
  }
});
