import { expect } from "chai";
import type { BrowserContextOptions, Page } from "playwright-core";
import { serveStackWithDemo } from "../../fixtures/signer/stack.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { expectAccessible, expectNoStrangers, openBrowser, type Person } from "../../fixtures/web/person.ts";
import { expectInSight, press } from "../../fixtures/web/screen.ts";

type Stack = Awaited<ReturnType<typeof serveStackWithDemo>>;

// cspell:ignore Apuntarse teléfono Demostrar cuenta Dentro mensaje Nombra monedero cadena contrato Idioma está principio

const sizes = { laptop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** The card of a try. */
const card = (page: Page, title: string) =>
  page.getByRole("listitem").filter({
    has: page.getByRole("heading", { name: new RegExp(`^${title} ?Alice’s|^${title} ?Bob’s`), level: 3 }),
  });
const result = (page: Page, title: string) => card(page, title).locator(".result");
const state = (page: Page, title: string) => card(page, title).locator(".state").innerText();

/** Goes through the verify page as it is offered, and is this person at the sandbox. */
async function proveByDefault(page: Page, stack: Stack, person: "Alice" | "Bob"): Promise<void> {
  await press(page, /^Prove an account$|^Prove the account again$/);
  await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
  const ways: Record<string, string | RegExp> = {
    "Connect a wallet": /^Development wallet/,
    "Sign in with your wallet": "Sign in",
    "That is another wallet": /^Sign in with 0x/,
  };
  const heading = page.getByRole("heading", { level: 1 });
  for (let title = await heading.innerText(); ways[title] !== undefined; title = await heading.innerText()) {
    await press(page, ways[title] ?? "");
    await heading.filter({ hasNotText: title }).waitFor();
  }
  await press(page, /^Prove your/);
  await page.getByRole("heading", { name: /who are you/ }).waitFor();
  await page.getByRole("radio", { name: new RegExp(`^${person}`) }).check();
  await press(page, "Sign in");
  await press(page, /^Store it, and go back/);
  await page.waitForURL((url) => url.origin === stack.demo.url);
}

async function openDemo(
  browser: ReturnType<ReturnType<typeof useBrowser>>,
  stack: Stack,
  context: BrowserContextOptions,
) {
  const person = await openBrowser(browser, { hasWallet: false, context });
  await person.page.goto(stack.demo.url);
  await person.page
    .getByRole("button", { name: /^Claim with Alice’s phone$|^Apuntarse con el/ })
    .first()
    .waitFor();
  return person;
}

const expectQuiet = (person: Person, stack: Stack) =>
  expectNoStrangers(person, [stack.demo.url, stack.service.url, stack.sandbox.url, stack.rpcUrl]);

for (const [device, viewport] of Object.entries(sizes)) {
  describe(`The demo's story on a ${device}`, function () {
    this.timeout(120_000);
    const browser = useBrowser();

    it("lets Alice in once, refuses her laptop and Bob, says so in sight, and starts over", async () => {
      const stack = await serveStackWithDemo();
      const person = await openDemo(browser(), stack, { viewport });
      const { page } = person;
      const claims = page.getByRole("button", { name: "Claim with Alice’s phone" });
      await expectInSight(page, claims);
      for (const title of ["Alice claims", "Alice claims again", "Bob claims"]) {
        expect(await state(page, title)).to.equal("not tried");
      }
      await expectAccessible(page, `demo-1-ready-${device}`);

      await claims.click();
      await page.getByText("The service knows no such account of this wallet yet.").waitFor();
      await expectInSight(page, result(page, "Alice claims"));
      expect(await state(page, "Alice claims")).to.equal("under way");
      await expectAccessible(page, `demo-2-not-found-${device}`);

      await proveByDefault(page, stack, "Alice");
      await page.getByText("In.", { exact: true }).waitFor();
      await expectInSight(page, result(page, "Alice claims"));
      expect(await result(page, "Alice claims").getAttribute("class")).to.include("good");
      expect(await state(page, "Alice claims")).to.equal("as it should be");
      await expectAccessible(page, `demo-3-admitted-${device}`);

      await press(page, "Claim with Alice’s laptop");
      await page.getByText("The service knows no such account").waitFor();
      await proveByDefault(page, stack, "Alice");
      await page.getByText("The contract refused: AlreadyEnrolled()").waitFor();
      await page.getByText("This person has enrolled already, from this wallet or another one.").waitFor();
      await expectInSight(page, result(page, "Alice claims again"));
      expect(await result(page, "Alice claims again").getAttribute("class")).to.include("bad");
      expect(await state(page, "Alice claims again")).to.equal("as it should be");
      await expectAccessible(page, `demo-4-second-wallet-${device}`);

      await press(page, "Claim with Bob’s phone");
      await page.getByText("The service knows no such account").waitFor();
      await proveByDefault(page, stack, "Bob");
      await page.getByText("The account does not meet the condition.").waitFor();
      await expectInSight(page, result(page, "Bob claims"));
      expect(await page.getByRole("button", { name: /^Prove/ }).count()).to.equal(0);
      expect(await state(page, "Bob claims")).to.equal("as it should be");
      await expectAccessible(page, `demo-5-below-the-bar-${device}`);

      await page.reload();
      expect(await state(page, "Bob claims")).to.equal("as it should be");
      await press(page, "Start over");
      await page.getByText("Everything is as at the beginning.").waitFor();
      await page.getByLabel("Language").selectOption("Español");
      await page.getByText("Todo está como al principio.").waitFor();
      await page.getByLabel("Idioma").selectOption("English");
      expect(await state(page, "Alice claims")).to.equal("not tried");
      await press(page, "Claim with Alice’s laptop");
      await page.getByText("That is not what this is meant to show.").waitFor();
      expect(await state(page, "Alice claims again")).to.equal("otherwise");
      expectQuiet(person, stack);
    });
  });
}

describe("The demo's card of a claim before it is mined", function () {
  this.timeout(60_000);
  const browser = useBrowser();

  it("shows the identity used at pending while the block is held back, and is as it should be once it is mined", async () => {
    const stack = await serveStackWithDemo();
    const wallet = await (await stack.provider.getSigner(1)).getAddress();
    await stack.store.set({
      ...{ wallet, provider: "exchange", accountId: "2001" },
      traits: { exchange_membership_active: "true", exchange_membership_billed: "true" },
      authenticatedAt: Math.floor(Date.now() / 1000),
    });
    const person = await openDemo(browser(), stack, { viewport: sizes.phone });
    const { page } = person;
    const title = "Before it is mined";
    const blocks = await stack.provider.getBlockNumber();
    await press(page, "Mint, and hold the block back");
    await card(page, title).getByText("The identity is used, before it is in a block").waitFor();
    await card(page, title).getByText("The block is held back.").waitFor();
    expect(await state(page, title)).to.equal("under way");
    expect(await stack.provider.getBlockNumber()).to.equal(blocks);
    await expectInSight(page, page.getByRole("button", { name: "Mine the block" }));
    await expectAccessible(page, "demo-held");
    await press(page, "Mine the block");
    await result(page, title).getByText("In.", { exact: true }).waitFor();
    expect(await state(page, title)).to.equal("as it should be");
    expect(await stack.provider.getBlockNumber()).to.equal(blocks + 1);
    await card(page, title).getByText("The contract lets the person in").waitFor();
    expectQuiet(person, stack);
  });
});

describe("The demo's story by the keyboard, in Spanish", function () {
  this.timeout(120_000);
  const browser = useBrowser();

  it("leads from the claim to the verify page and back to what came of it", async () => {
    const stack = await serveStackWithDemo();
    const context = { viewport: sizes.phone, locale: "es-ES", reducedMotion: "reduce" } as const;
    const person = await openDemo(browser(), stack, context);
    const { page } = person;
    const focused = () => page.evaluate("document.activeElement.innerText.split('\\n')[0]");
    const tabTo = async (name: string) => {
      for (let i = 0; i < 30 && (await focused()) !== name; i++) await page.keyboard.press("Tab");
      expect(await focused()).to.equal(name);
    };
    expect(await page.locator("html").getAttribute("lang")).to.equal("es");
    await expectAccessible(page, "demo-es-1-ready");
    await tabTo("Apuntarse con el teléfono de Alice");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Demostrar una cuenta" }).waitFor();
    await page.locator("button:focus", { hasText: "Demostrar una cuenta" }).waitFor();
    await expectAccessible(page, "demo-es-2-not-found");
    await stack.setCredential(await (await stack.provider.getSigner(1)).getAddress(), { followers: "1200" });
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
    const back = new URL(page.url()).searchParams;
    await page.goto(`${back.get("redirect_uri")}?success=true&state=${back.get("state")}`);
    await page.getByText("Dentro.", { exact: true }).waitFor();
    await page.locator(".result:focus", { hasText: "Dentro." }).waitFor();
    await expectAccessible(page, "demo-es-3-admitted");

    await tabTo("La app escribe un mensaje");
    await page.keyboard.press("Enter");
    await page.getByText("Nombra el monedero, la cadena y el contrato.").waitFor();
    await page.getByLabel("Idioma").selectOption("en");
    await page.getByText("It names the wallet, the chain and the contract.").waitFor();
    await page.reload();
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
    expectQuiet(person, stack);
  });
});
