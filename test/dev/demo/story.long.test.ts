import { expect } from "chai";
import { serveStackWithDemo } from "../../fixtures/signer/stack.ts";
import { useBrowser } from "../../fixtures/web/browser.ts";
import { expectAccessible, openBrowser } from "../../fixtures/web/person.ts";
import { expectInSight, press, sizes } from "../../fixtures/web/screen.ts";
import { card, expectQuiet, openDemo, proveAs, result, tellStory } from "../../fixtures/web/story.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("The demo's story", () => {
  const browser = useBrowser();

  for (const device of ["a laptop", "a phone"] as const) {
    it(`admits Alice once, refuses her second wallet and Bob, and starts over, on ${device}`, async () => {
      await tellStory(browser(), device);
    }).timeout(120_000);
  }
});

describe("The browser's Back from the verify page to the demo", function () {
  this.timeout(60_000);
  const browser = useBrowser();

  it("leads to the claim that was left, and says that no account was proven", async () => {
    const stack = await serveStackWithDemo();
    const { page } = await openDemo(browser(), stack, sizes["a phone"]);
    await press(page, "Claim with Alice’s phone");
    await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
    await page.goBack();
    const told = card(page, "Alice claims").getByText("You came back before finishing.");
    await expectInSight(page, told);
    await card(page, "Alice claims").getByText("You left before an account was stored.").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    expect(await told.count(), "told once").to.equal(0);
    // After a fruitless visit, the demo does not lead there again by itself.
    await press(page, "Claim with Alice’s phone");
    await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
    const back = new URL(page.url()).searchParams;
    await page.goto(`${back.get("redirect_uri")}?success=true&state=${back.get("state")}`);
    await page.getByText("This wallet has no verified account yet.").waitFor();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
  });
});

describe("The demo's story that plays by itself", function () {
  this.timeout(60_000);
  const browser = useBrowser();

  it("pays Alice once and refuses her laptop and Bob on the chain, and ends as the story that is clicked", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openDemo(browser(), stack, sizes["a laptop"]);
    const before = await stack.provider.getBlockNumber();
    await press(page, "Play the story");
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
    // After a reload in the middle, the person plays it again.
    await page.reload();
    await press(page, "Play the story");
    await page.getByText("That’s the whole story").waitFor();
    await expectWholeScreen(page, "demo-4-played");
    expect(await stack.provider.getBlockNumber()).to.be.above(before);
    await press(page, "Start over");
    await press(page, "Claim with Alice’s phone");
    await proveAs(page, stack, "Alice");
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
  });
});

// cspell:disable
describe("The demo in Spanish", function () {
  this.timeout(120_000);
  const browser = useBrowser();

  it("tells the whole story, and leads to the verify page in the language that was chosen here", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openDemo(browser(), stack, sizes["a phone"]);
    await page.getByLabel("Language").selectOption("Español");
    for (const more of ["Qué es esta página", "Privacidad"]) await page.getByText(more).click();
    await page.getByText("Para desarrolladores").click();
    await expectAccessible(page, "demo-es-1-ready", "body");
    await press(page, "Reclamar con el móvil de Alice");
    await press(page, "Entrar");
    await press(page, "Continuar como Alice");
    await press(page, /^Guardarla y volver/);
    await page.getByText("Alice ha recibido 100 tokens de prueba.", { exact: true }).waitFor();
    await press(page, "Reclamar con el portátil de Alice");
    await press(page, "Reclamar con el móvil de Bob");
    await page.getByText("Esta es toda la historia").waitFor();
    await expectAccessible(page, "demo-es-2-told", "body");
  });
});

// cspell:enable

describe("The demo's story told wrong", function () {
  this.timeout(120_000);
  const browser = useBrowser();

  it("says what to do after somebody else's account, and traps neither this tab nor another", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openDemo(browser(), stack, sizes["a laptop"]);
    await press(page, "Claim with Alice’s phone");
    await proveAs(page, stack, "Bob");
    const wrong = result(page, "Alice claims");
    await wrong.getByText("That was not Alice: this account has too few followers.").waitFor();
    await expectAccessible(page, "demo-somebody-else");

    const another = await page.context().newPage();
    const { page: elsewhere } = await openBrowser(browser(), { hasWallet: false });
    for (const each of [another, elsewhere]) await each.goto(stack.demo.url);
    await elsewhere.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    const wallet = (each: typeof page) => card(each, "Alice claims").locator(".who code").innerText();
    expect(await wallet(elsewhere), "not the wallet that is Bob's").not.to.equal(await wallet(page));
    await elsewhere.close();
    for (const tab of [another, page]) {
      await tab.bringToFront();
      if (tab === page) {
        await press(tab, "Start over");
        await tab.getByText("Fresh contracts and wallets.").waitFor();
        await press(tab, "Claim with Bob’s phone");
        await tab.getByText("Fresh contracts and wallets.").waitFor({ state: "detached" });
      }
      await press(tab, "Claim with Alice’s phone");
      await proveAs(tab, stack, "Alice");
      await tab.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
    }
  });

  it("says that all wallets are used, and sends nobody in a circle then", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openDemo(browser(), stack, sizes["a laptop"]);
    await press(page, "Claim with Bob’s phone");
    for (const account of (await stack.wallet.request({ method: "eth_accounts" })) as string[])
      await stack.provider.send("hardhat_setNonce", [account, "0x100"]);
    await press(page, "Start over");
    const used = "All test wallets have been used. Stop the stack, then start it again: npm start,";
    const story = page.getByRole("region", { name: "The story" });
    await story.getByText(used).waitFor();
    // This phone's account may have been proven in an earlier round, and be Bob's.
    const claim = page.getByRole("button", { name: "Claim with Alice’s phone" });
    expect(await claim.getAttribute("aria-disabled")).to.equal("true");
    await expectAccessible(page, "demo-all-used");
    // The played story has wallets of its own.
    await press(page, "Play the story");
    await page.getByText("That’s the whole story").waitFor();
    const { page: fresh } = await openBrowser(browser(), { hasWallet: false });
    await fresh.goto(stack.demo.url);
    await fresh.getByText(used).waitFor();
  });
});

describe("The demo's story by the keyboard", function () {
  this.timeout(120_000);
  const browser = useBrowser();

  it("leads from the claim to the verify page and back to what came of it", async () => {
    const stack = await serveStackWithDemo();
    const context = { ...sizes["a phone"], reducedMotion: "reduce" } as const;
    const person = await openDemo(browser(), stack, context);
    const { page } = person;
    const focused = () => page.evaluate("document.activeElement.innerText.split('\\n')[0]");
    const tabTo = async (name: string) => {
      for (let i = 0; i < 30 && (await focused()) !== name; i++) await page.keyboard.press("Tab");
      expect(await focused()).to.equal(name);
    };
    await tabTo("Claim with Alice’s phone");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.origin === new URL(stack.service.url).origin);
    const back = new URL(page.url()).searchParams;
    await stack.setCredential(await (await stack.provider.getSigner(1)).getAddress(), { followers: "1200" });
    await page.goto(`${back.get("redirect_uri")}?success=true&state=${back.get("state")}`);
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
    await page.locator("button:focus", { hasText: "Claim with Alice’s laptop" }).waitFor();

    const received = page.locator(".result > summary", { hasText: "Alice received" });
    await tabTo((await received.innerText()).split("\n")[0] ?? "");
    await page.keyboard.press("Enter");
    expect(await page.locator("details.result").getAttribute("open"), "folded").to.equal(null);
    await tabTo(await page.locator(".developers > summary").innerText());
    await page.keyboard.press("Enter");
    await tabTo("The app writes a message");
    await page.keyboard.press("Enter");
    await page.getByText("It names the wallet, the chain and the contract.").waitFor();
    expectQuiet(person, stack);
  });
});
