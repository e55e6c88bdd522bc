import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { expectKept } from "../fixtures/keptText.ts";
import { serveStackWithDemo } from "../fixtures/signer/stack.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { countShifts } from "../fixtures/web/layoutShifts.ts";
import { openBrowser } from "../fixtures/web/person.ts";
import { arriveAt, press, sizes } from "../fixtures/web/screen.ts";
import { hold } from "../fixtures/web/slowLine.ts";

// cspell:ignore Csvg

/** The shapes of a picture, each with where it is and how large. */
const shapesOf = (svg: string) =>
  [...svg.matchAll(/<(?:rect|circle|path) [^>]*>/g)].map(([shape]) =>
    [...shape.matchAll(/ (x|y|cx|cy|r|rx|d|width|height)="([^"]+)"/g)]
      .map(([, name, value]) => [name, value])
      .sort(),
  );

/** Has the browser show all text twice as large, as its settings can. */
async function doubleText(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.enable");
  await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
}

describe("Every page", function () {
  this.timeout(60_000);
  const browser = useBrowser();
  let pages: Record<string, string>;
  before(async () => {
    const { demo, service } = await serveStackWithDemo();
    pages = {
      "the demo": demo.url,
      "the verify page": `${service.url}/verify`,
      "the front door": service.url,
    };
  });

  const read = async (name: string) =>
    (await fetch(pages[name] ?? "", { headers: { accept: "text/html" } })).text();

  for (const name of ["the demo", "the verify page"]) {
    it(`says that it needs JavaScript, in place of a spinner that never ends: ${name}`, async () => {
      const context = { ...sizes["a phone"], javaScriptEnabled: false };
      const { page } = await openBrowser(browser(), { hasWallet: false, context });
      await page.goto(pages[name] ?? "");
      await page.getByText("This page needs JavaScript").waitFor();
      expect(await page.locator(".spinner").isVisible()).to.equal(false);
    });

    it(`tells who shares a link to it what it is: ${name}`, async () => {
      const html = await read(name);
      // The page's own style and script are in the document.
      const head = html.replaceAll(/(?<=<(style|script type="module")>).*?(?=<\/(style|script)>)/gs, "…");
      await expectKept(name.replace(/.* /, "fixtures/web/screens/document-"), async () => head.trim());
    });
  }

  for (const name of ["the demo", "the verify page", "the front door"]) {
    it(`has the documentation's mark as its icon and in its header, and colours the browser: ${name}`, async () => {
      const html = await read(name);
      const [, icon = ""] = /href="data:image\/svg\+xml,([^"]+)"/.exec(html) ?? [];
      const shapes = shapesOf(readFileSync(join(root, "docs/public/mark.svg"), "utf8"));
      expect(shapes).to.have.length(3);
      // An attribute in quotes has others within.
      const drawn = decodeURIComponent(icon).replaceAll(/'|&#39;/g, '"');
      expect(shapesOf(drawn)).to.deep.equal(shapes);
      const { page } = await openBrowser(browser());
      await page.goto(pages[name] ?? "");
      expect(shapesOf(await page.locator("header svg").innerHTML())).to.deep.equal(shapes);
    });
  }

  for (const name of ["the demo", "the verify page", "the front door"]) {
    it(`has our typeface, and moves nothing when it comes late: ${name}`, async () => {
      const { page } = await openBrowser(browser(), { hasWallet: false });
      let release = () => {};
      const late = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route("**/*.woff2", async (route) => {
        await late;
        await route.continue();
      });
      const readShifts = await countShifts(page);
      await page.goto(pages[name] ?? "", { waitUntil: "commit" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      const before = await readShifts();
      release();
      expect(
        await page.evaluate(`document.fonts.load("16px Figtree").then((faces) => faces.length)`),
      ).to.equal(1);
      expect((await readShifts()) - before).to.be.at.most(0.02);
    });
  }

  for (const name of ["the demo", "the verify page", "the front door"]) {
    it(`is no wider than the smallest phone where its text is twice as large: ${name}`, async () => {
      const context = { viewport: { width: 320, height: 640 } };
      const { page } = await openBrowser(browser(), { context });
      await doubleText(page);
      await page.goto(pages[name] ?? "");
      await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
      const action = page.getByRole("main").locator("button:not([aria-disabled=true]), .button").first();
      await action.waitFor();
      expect(await page.evaluate(`parseFloat(getComputedStyle(document.documentElement).fontSize)`)).to.equal(
        32,
      );
      expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(320);
    });
  }

  it("is no wider than the smallest phone where its text is twice as large, on the whole way to both refusals", async () => {
    const { demo } = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openBrowser(browser(), {
      hasWallet: false,
      context: { viewport: { width: 320, height: 640 } },
    });
    await doubleText(page);
    const expectNarrow = async (what: string) =>
      expect(await page.evaluate("document.documentElement.scrollWidth"), what).to.equal(320);
    await page.goto(demo.url);
    await press(page, "Claim with Alice’s phone");
    await arriveAt(page, "Sign in with your wallet");
    await expectNarrow("the sign-in");
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
    await expectNarrow("the sandbox");
    await press(page, "Continue as Alice");
    await arriveAt(page, "Store this account?");
    await expectNarrow("the account");
    await press(page, /^Store it and go back/);
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
    await press(page, "Claim with Alice’s laptop");
    await page.getByText("The contract refused her second wallet.").waitFor();
    await expectNarrow("the contract's refusal");
    await press(page, "Claim with Bob’s phone");
    await page.getByText("That’s the whole story").waitFor();
    await expectNarrow("the end");
  });

  it("moves nothing of the demo on the smallest phone while it asks what the contract knows", async () => {
    const context = { viewport: { width: 320, height: 640 } };
    const { page } = await openBrowser(browser(), { hasWallet: false, context });
    const readShifts = await countShifts(page);
    await page.goto(pages["the demo"] ?? "");
    await page.getByText("Nobody has claimed yet").waitFor();
    expect(await readShifts()).to.be.below(0.005);
  });

  // cspell:disable
  it("moves nothing on the smallest phone in Spanish when a page or the outcome of a claim comes", async () => {
    const { demo } = await serveStackWithDemo({ hasPeople: true });
    const context = { viewport: { width: 320, height: 640 }, locale: "es-ES" };
    const { page } = await openBrowser(browser(), { hasWallet: false, context });
    const readShifts = await countShifts(page);
    const expectStill = async (what: string) => expect(await readShifts(), what).to.be.at.most(0.02);
    await page.goto(demo.url);
    await page.getByRole("button", { name: "Reclamar con el móvil de Alice", disabled: false }).waitFor();
    await expectStill("the demo");
    await press(page, "Reclamar con el móvil de Alice");
    await arriveAt(page, "Entra con tu monedero");
    await expectStill("the verify page");
    await press(page, "Entrar");
    await press(page, "Continuar como Alice");
    await arriveAt(page, "¿Guardar esta cuenta?");
    await expectStill("the account");
    await press(page, /^Guardarla y volver/);
    await page.getByText("Alice ha recibido 100 tokens de prueba.", { exact: true }).waitFor();
    await expectStill("the first claim");
    for (const [button, outcome] of [
      ["Reclamar con el portátil de Alice", "El contrato ha rechazado su segundo monedero."],
      ["Reclamar con el móvil de Bob", "Esta es toda la historia"],
    ] as const) {
      const answer = await hold(page, "**/v1/onchain_verifications");
      await press(page, button);
      await page.getByText("El servicio comprueba la cuenta").waitFor();
      const before = await readShifts();
      answer();
      await page.getByText(outcome).waitFor();
      expect((await readShifts()) - before, button).to.be.at.most(0.02);
    }
  });
  // cspell:enable

  // cspell:disable
  it("is no wider than a phone of 320 pixels whose text is twice as large, in Spanish, to the demo's end", async () => {
    const { demo } = await serveStackWithDemo({ hasPeople: true });
    const context = { viewport: { width: 160, height: 320 }, locale: "es-ES" };
    const { page } = await openBrowser(browser(), { hasWallet: false, context });
    const expectNarrow = async (what: string) => {
      const parts = "[...document.querySelectorAll('main *:not(.unseen, pre *)')]";
      const wide = `${parts}.filter((part) => part.getBoundingClientRect().right > innerWidth).map((part) => part.outerHTML.slice(0, 99))`;
      expect(await page.evaluate(wide), what).to.deep.equal([]);
    };
    await page.goto(demo.url);
    await page.getByRole("button", { name: "Reclamar con el móvil de Alice", disabled: false }).waitFor();
    await expectNarrow("the start");
    await press(page, "Ver la historia");
    await page.getByText("Esta es toda la historia").waitFor();
    await expectNarrow("the end");
    await page.getByText("Para desarrolladores").click();
    await page.getByRole("tab").first().waitFor();
    await expectNarrow("what was sent");
    const names = await page
      .locator("button.step > span:first-child")
      .evaluateAll((all) => all.map((each) => Reflect.get(each, "getBoundingClientRect").call(each).width));
    // A name in a column of single letters cannot be read.
    expect(Math.min(...names)).to.be.above(60);
  });
  // cspell:enable

  it("shows in forced colours how far a person is, and which button leads on", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false, context: { forcedColors: "active" } });
    const colour = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => Reflect.get(globalThis, "getComputedStyle")(element)[name], property);
    await page.goto(
      `${pages["the verify page"]}?redirect_uri=${encodeURIComponent(pages["the demo"] ?? "")}`,
    );
    const [reached, ahead] = [".steps .reached", ".steps li:not(.reached)"];
    expect(await colour(reached, "borderTopColor")).not.to.equal(await colour(ahead, "borderTopColor"));
    await page.goto(pages["the demo"] ?? "");
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    const [next, other] = [".try button:not(.quiet)", ".try button.quiet"];
    expect(await colour(next, "backgroundColor")).not.to.equal(await colour(other, "backgroundColor"));
    await page.goto(pages["the front door"] ?? "");
    expect(await colour(".button", "backgroundColor")).not.to.equal(await colour("body", "backgroundColor"));
  });

  for (const [name, role] of [
    ["the demo", "button"],
    ["the verify page", "button"],
    ["the front door", "link"],
  ] as const) {
    it(`answers the mouse: ${name}`, async () => {
      const { page } = await openBrowser(browser());
      await page.goto(pages[name] ?? "");
      const target = page.getByRole("main").getByRole(role).first();
      await target.waitFor();
      const look = () =>
        target.evaluate((element) => {
          const { backgroundColor, borderColor, textDecorationThickness } = Reflect.get(
            globalThis,
            "getComputedStyle",
          )(element);
          return `${backgroundColor} ${borderColor} ${textDecorationThickness}`;
        });
      const before = await look();
      await target.hover();
      expect(await look()).not.to.equal(before);
    });
  }
});
