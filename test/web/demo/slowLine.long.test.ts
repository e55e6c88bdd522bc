import { expect } from "chai";
import { serveStackWithDemo } from "../../fixtures/signer/stack.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { openBrowser } from "../../fixtures/web/person.ts";
import { expectInSight, sizes } from "../../fixtures/web/screen.ts";
import { hold, notePosts, slowDown } from "../../fixtures/web/slowLine.ts";

describe("The demo on a slow line", function () {
  this.timeout(120_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveStackWithDemo>>;
  before(async () => {
    stack = await serveStackWithDemo();
  });

  for (const [device, context] of Object.entries(sizes)) {
    it(`paints within a second and a half, and nothing moves when its cards come, on ${device}`, async () => {
      const { page } = await openBrowser(browser(), { hasWallet: false, context });
      page.setDefaultTimeout(60_000);
      await slowDown(page);
      await page.addInitScript(`{
        globalThis.shifted = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) globalThis.shifted += value;
        }).observe({ type: "layout-shift", buffered: true });
      }`);
      await page.goto(stack.demo.url);
      await page.getByRole("button", { name: "Claim with Alice’s phone" }).waitFor();
      // What has moved is told with the frame after it.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      expect(await page.evaluate("shifted")).to.be.below(0.02);
      const painted = await page.evaluate<number>(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime",
      );
      expect(painted).to.be.below(1_500);
    });

    it(`says what it waits for, and claims once when the button is pressed twice, on ${device}`, async () => {
      const { page } = await openBrowser(browser(), { hasWallet: false, context });
      page.setDefaultTimeout(60_000);
      await slowDown(page);
      const posts = notePosts(page);
      const says = (text: string | RegExp) => expectInSight(page, page.getByRole("status").getByText(text));

      const script = await hold(page, /\.js$/);
      await page.goto(stack.demo.url, { waitUntil: "commit" });
      await page.locator(".starting").waitFor();
      const chain = await hold(page, `${stack.rpcUrl}/**`);
      script();
      await says("One moment");
      chain();

      const button = page.getByRole("button", { name: "Claim with Alice’s phone" });
      await button.waitFor();
      const place = await button.boundingBox();
      const answer = await hold(page, "**/v1/onchain_verifications");
      await button.dblclick();
      await says("The service is checking the contract’s policy");
      await button.click({ force: true });
      expect(await button.boundingBox()).to.deep.equal(place);
      answer();
      await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
      const asked = posts.filter((post) => /^(personal_sign|onchain_verifications)$/.test(post));
      expect(asked).to.deep.equal(["personal_sign", "onchain_verifications"]);
    });
  }
});
