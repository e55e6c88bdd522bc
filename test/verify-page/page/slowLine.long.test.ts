import { expect } from "chai";
import type { Page } from "playwright-core";
import { arriveAt, expectInSight, press, sizes } from "../../fixtures/web/screen.ts";
import { hold, holdUntil, notePosts, noteStarting, slowDown } from "../../fixtures/web/slowLine.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

/**
 * Has the first of the buttons pressed again a moment after the service has answered, while the page waits for the next one
 * to come.
 *
 * @returns The page's text after that, by the end of the requested path.
 */
async function pressAgainAfter(page: Page, ...paths: string[]): Promise<Record<string, Promise<string>>> {
  const heard: Record<string, (text: string) => void> = {};
  const says = paths.map((path) => {
    const said = new Promise<string>((resolve) => {
      heard[path] = resolve;
    });
    return [path, said] as const;
  });
  await page.exposeFunction("pressedAfter", (path: string, text: string) => heard[path]?.(text));
  await page.addInitScript(`{
    const ask = fetch;
    globalThis.fetch = async (url, init) => {
      const response = await ask(url, init);
      const path = String(url).split("/").pop();
      if (${JSON.stringify(paths)}.includes(path)) setTimeout(() => {
        document.querySelector("main .actions button")?.click();
        setTimeout(() => pressedAfter(path, document.querySelector("main").innerText), 100);
      }, 1_000);
      return response;
    };
  }`);
  return Object.fromEntries(says);
}

describe("The verify page on a slow line", function () {
  this.timeout(120_000);
  const { app, backAtApp, openFor, outcome, stack, success } = useVerifyPage();

  for (const [device, context] of Object.entries(sizes)) {
    it(`says what it waits for, leaves its buttons in their places, and does once what is pressed twice, on ${device}`, async () => {
      const { page, person, url } = await openFor(context);
      page.setDefaultTimeout(60_000);
      await slowDown(page);
      const posts = notePosts(page);
      const said = await pressAgainAfter(page, "prove", "keep");
      const button = (name: string | RegExp) => page.getByRole("button", { name });
      const says = (text: string) => expectInSight(page, page.getByRole("status").getByText(text));

      const wasStarting = await noteStarting(page);
      await page.goto(url, { waitUntil: "commit" });
      await press(page, /^Test wallet/);
      expect(await wasStarting()).to.equal(true);
      await arriveAt(page, "Sign in with your wallet");

      const place = await button(/^Go back/).boundingBox();
      const [message, link] = [await hold(page, "**/verify/message"), await hold(page, "**/verify/link")];
      await button("Sign in").dblclick();
      await says("Preparing the message to sign");
      expect(await button(/^Go back/).boundingBox()).to.deep.equal(place);
      message();
      await says("Checking your signature");
      expect(await button(/^Go back/).boundingBox()).to.deep.equal(place);
      await holdUntil(page, `${stack().sandbox.url}/**`, said.prove);
      link();
      await arriveAt(page, /^Sign in to/);
      expect(person.asked.filter(({ method }) => method === "personal_sign")).to.have.length(1);
      expect(await said.prove).to.include("Going to Microblog");
      await press(page, "Continue as Alice");

      await holdUntil(page, `${app()}/**`, said.keep);
      const [store, refuse] = [button(/^Store it and go back/), button("Do not store it")];
      const [storePlace, refusePlace] = [await store.boundingBox(), await refuse.boundingBox()];
      const top =
        device === "a laptop" ? storePlace?.y : (storePlace?.y ?? 0) + (storePlace?.height ?? 0) + 12;
      expect(refusePlace?.y, "one answer right beside or below the other").to.equal(top);
      const keep = await hold(page, "**/verify/keep");
      await store.dblclick();
      await says("Storing it");
      if (device === "a laptop") await expectWholeScreen(page, "verify-storing");
      expect(await store.boundingBox()).to.deep.equal(storePlace);
      expect(await refuse.boundingBox()).to.deep.equal(refusePlace);
      keep();
      await backAtApp(page);
      expect(await said.keep).to.include("Going back to");
      expect(outcome(page)).to.deep.equal(success);
      const asked = posts.filter((path) => /^(message|link|prove|keep)$/.test(path));
      // The second message shows that the browser keeps cookies.
      expect(asked).to.deep.equal(["message", "message", "link", "prove", "keep"]);
    });
  }
});
