import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Locator } from "playwright-core";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, readFocus, sizes } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

// cspell:ignore Privacidad verificado código última ninguna elige escribe número entero solo cifras ejemplo sustituye existe pide desarrollo Denegar denegado acceso Iniciar sesión Crear usuario usuarios prueba Continuar Conecta monedero Entrar verificada Verificar seguidores tipo verificación cuenta correcto Idioma hoy Demuestra tuya eres una sola quién inventar alguien como esta está vacío vale cualquier texto Intentar nuevo Verificarla todos modos guardado
/** Whether a picture could be drawn. */
const isShown = (image: object) => Reflect.get(image, "naturalWidth") > 0;

describe("The frame of the verify page", function () {
  this.timeout(60_000);
  const { browser, openFor, pageUrl, setCredential, signIn, stack } = useVerifyPage();

  it("has a front door, from which a person finds the page", async () => {
    const person = await openBrowser(browser());
    await person.page.goto(`${stack().service.url}/`);
    await arriveAt(person.page, "Verify your account");
    await expectAccessible(person.page, "front", "body");
    await person.page.getByText("English", { exact: true }).click();
    await expectAccessible(person.page, "front-languages", "header");
    await person.page.getByRole("link", { name: "Español" }).click();
    await arriveAt(person.page, "Verifica tu cuenta");
    await expectWholeScreen(person.page, "front-es", "body");
    await person.page.goto(`${stack().service.url}/lost?language=es`);
    await expectWholeScreen(person.page, "front-es-lost", "body");
    await person.page.goBack();
    await person.page.getByText("Español", { exact: true }).click();
    await person.page.getByRole("link", { name: "English" }).click();
    await person.page.getByRole("link", { name: "Verify an account" }).click();
    await arriveAt(person.page, "Connect a wallet");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
  });

  it("leads to the operator's privacy notice where there is one", async () => {
    const notice = "https://identity.example/privacy";
    const file = join(await temporaryFolder(), "brand.json");
    writeFileSync(file, JSON.stringify({ name: "Acme", privacyUrl: notice }));
    const { service } = await serveVerifyPage({ IDENTITY_BRAND: file });
    const { page } = await openBrowser(browser());
    for (const [url, whose] of [
      [service.url, "-brand"],
      [stack().service.url, ""],
    ] as const) {
      await page.goto(url);
      await expectWholeScreen(page, `front${whose}`, "body");
      await page.goto(`${url}/verify`);
      await arriveAt(page, "Connect a wallet");
      await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
      for (const more of ["About", "Privacy"]) await page.getByText(more, { exact: true }).click();
      await expectAccessible(page, `verify-privacy${whose}`, "body");
    }
  });

  it("shows the operator's name, logo and colour on every screen, and from the start", async () => {
    const folder = await temporaryFolder();
    writeFileSync(
      join(folder, "logo.svg"),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"><path d="M0 0h3v2H0z" fill="#a00"/></svg>',
    );
    const file = join(folder, "brand.json");
    writeFileSync(file, JSON.stringify({ name: "Acme & Sons", logo: "logo.svg", accent: "#ffd400" }));
    const { service } = await serveVerifyPage({ IDENTITY_BRAND: file });
    for (const [colorScheme, accent] of [
      ["light", /^rgb\(\d+, \d+, 0\)$/],
      ["dark", /^rgb\(255, 212, 0\)$/],
    ] as const) {
      const person = await openBrowser(browser(), { context: { colorScheme } });
      const { page } = person;
      const colourOf = (locator: Locator, property: string) =>
        locator.evaluate(
          (element, name) => Reflect.get(globalThis, "getComputedStyle")(element)[name],
          property,
        );
      const expectBrand = async () => {
        await page.locator("header b", { hasText: "Acme & Sons" }).waitFor();
        expect(await page.locator("header img.mark").evaluate(isShown)).to.equal(true);
      };
      await page.goto(service.url);
      await expectBrand();
      const start = page.getByRole("link", { name: "Verify an account" });
      expect(await colourOf(start, "backgroundColor")).to.match(accent);
      await start.click();
      await arriveAt(page, "Connect a wallet");
      await expectBrand();
      await press(page, /^Test wallet/);
      await expectBrand();
      await page.mouse.move(0, 0);
      expect(await colourOf(page.getByRole("button", { name: "Sign in" }), "backgroundColor")).to.match(
        accent,
      );
      // In both schemes.
      await expectAccessible(page, "verify-brand");
      expectNoStrangers(person, [service.url, stack().rpcUrl]);
    }
  });

  it("has a sandbox in which the whole row of a test user can be clicked", async () => {
    const { page, person, url } = await openFor();
    await signIn(person, url);
    await press(page, /^Continue to/);
    await page.locator("li.card", { hasText: "id 1001" }).click({ position: { x: 12, y: 12 } });
    await arriveAt(page, "Store this account?");
  });

  it("gives each provider a mark of its own beside its name", async () => {
    const { page, person, url } = await openFor();
    const ofAny = new URL(url);
    ofAny.searchParams.delete("providers");
    await signIn(person, ofAny.href);
    const marks = page.locator("button.choice img");
    expect(await marks.count()).to.equal(4);
    const sources = await marks.evaluateAll((all) => all.map((each) => each.getAttribute("src")));
    expect(new Set(sources).size).to.equal(4);
    for (const mark of await marks.all()) expect(await mark.evaluate(isShown)).to.equal(true);
    for (const provider of ["Exchange", "Photo social", "Short video"]) {
      await press(page, `${provider} (sandbox)`);
      await arriveAt(page, `Sign in to ${provider}`);
      await expectWholeScreen(page, `sandbox-${provider.toLowerCase().replace(" ", "-")}`);
      await page.goBack();
    }
  });

  it("has a sandbox that takes a test user, and says all that is wrong with one at once", async () => {
    const { page, person, url } = await openFor(sizes["a phone"]);
    await signIn(person, url);
    await press(page, /^Continue to/);
    await arriveAt(page, "Sign in to Microblog");
    await expectAccessible(page, "sandbox", "body");
    await page.getByText("Create a test user").click();
    await page.getByText("Raw account data").click();
    await expectWholeScreen(page, "sandbox-open");
    await page.locator('[name="accountId"]').fill("");
    await page.locator('[name="trait.followers"]').fill("many");
    await press(page, "Continue as this user");
    // All that is wrong at once, with the focus at the first.
    expect(await page.locator("[autofocus]").count()).to.equal(1);
    const wrong = page.locator(":focus[aria-invalid=true]");
    const described = await wrong.getAttribute("aria-describedby");
    expect([await readFocus(page), await page.locator(`#${described}`).innerText()]).to.deep.equal([
      "Account id",
      "Enter an account id. Any text will do.",
    ]);
    await expectAccessible(page, "sandbox-problem");
    expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl]);
  });

  for (const [locale, time] of [
    ["en-GB", /^\w+ at \d\d:\d\d$/],
    ["en-US", /^\w+ at \d?\d:\d\d\s[AP]M$/],
  ] as const) {
    it(`writes times as the browser's ${locale} does`, async () => {
      const { page, person, wallet, url } = await openFor({ locale });
      await setCredential(wallet.address);
      await signIn(person, url);
      await page.getByText(time).waitFor();
    });
  }

  for (const [tags, heading, time] of [
    ['["en-US@posix"]', "Connect a wallet", /^\w+ at \d?\d:\d\d\s[AP]M$/],
    ['["est", "C", "EN_GB.UTF-8", "en-US"]', "Connect a wallet", /^\w+ at \d\d:\d\d$/],
    ['["en-a", 7, null]', "Connect a wallet", /^\w+ at \d/],
    ["undefined", "Connect a wallet", /^\w+ at \d/],
  ] as const) {
    it(`is shown whatever the browser calls its languages: ${tags}`, async () => {
      const { page, person, wallet, url } = await openFor();
      await page.addInitScript(`Object.defineProperty(navigator, "languages", { value: ${tags} })`);
      await setCredential(wallet.address);
      await page.goto(url);
      await arriveAt(page, heading);
      await signIn(person, url);
      await page.getByText(time).waitFor();
      expect(person.complaints).to.deep.equal([]);
    });
  }

  for (const [origins, address, name] of [
    ["https://known.example=Known", 0, "Known"],
    ["", 1, "known.example"],
  ] as const) {
    it(`has a last screen that leads back to the app, ${address === 0 ? "at once" : "with its address"}`, async () => {
      const { service } = await serveVerifyPage({ IDENTITY_REDIRECT_ORIGINS: origins });
      const { page, complaints } = await openBrowser(browser());
      await page.addInitScript(
        `Intl.ListFormat = class { format() { throw new RangeError("Out of words"); } }`,
      );
      const back = encodeURIComponent("https://known.example/claim");
      await page.goto(`${service.url}/verify?redirect_uri=${back}&state=its`);
      await arriveAt(page, "This page stopped working");
      await page.getByText("RangeError: Out of words").waitFor();
      await expectAccessible(page, `verify-failed-${address}`);
      expect(complaints.join()).to.include("Out of words");
      await page.getByLabel("Language").selectOption("Español");
      await arriveAt(page, "Esta página ha fallado");
      await page.getByRole("link", { name: `Volver a ${name}` }).click();
      await page.waitForURL("https://known.example/claim?error=cancelled&state=its");
    });
  }

  it("calls an app by the name that the operator gave its origin", async () => {
    const { service } = await serveVerifyPage({ IDENTITY_REDIRECT_ORIGINS: "https://drop.example=The Drop" });
    const { page, complaints } = await openBrowser(browser());
    const back = encodeURIComponent("https://drop.example/claim");
    // As where no other provider is set up.
    await page.route("**/verify/overview*", async (route) => {
      const read = await (await route.fetch()).json();
      const providers = read.providers.filter((each: { asked: boolean }) => each.asked);
      await route.fulfill({ json: { ...read, providers } });
    });
    await page.goto(`${service.url}/verify?redirect_uri=${back}&providers=microblog`);
    await page.getByRole("button", { name: /^Development wallet/ }).waitFor();
    await expectWholeScreen(page, "verify-named-app");
    await page.getByRole("button", { name: "Go back to The Drop" }).click();
    await page.waitForURL("https://drop.example/claim?error=cancelled");
    expect(complaints).to.deep.equal([]);
  });

  it("names no provider where the app takes an account of any, and offers a button for each", async () => {
    const { page, person, wallet } = await openFor({ locale: "es-ES" });
    const url = pageUrl({ wallet: wallet.address, providers: "" });
    await page.goto(url);
    await page.getByRole("button", { name: /^Monedero de desarrollo/ }).waitFor();
    await expectWholeScreen(page, "verify-es-any");
    await page.getByLabel("Idioma").selectOption("English");
    await signIn(person, url);
    await expectWholeScreen(page, "verify-any");
  });

  it("speaks the language that the app's link asks for, up to the provider and back, until the person chooses one", async () => {
    const { page, person, wallet } = await openFor({ locale: "en-GB" });
    const url = pageUrl({ wallet: wallet.address, ui_locales: "xx es-ES" });
    const asksFor = (language: string) =>
      page.waitForRequest((request) => new URL(request.url()).searchParams.get("ui_locales") === language);
    await page.goto(url);
    await press(page, /^Test wallet/);
    await Promise.all([asksFor("es"), press(page, "Entrar")]);
    await press(page, "Denegar el acceso");
    await arriveAt(page, "Has denegado el acceso");
    await expectWholeScreen(page, "verify-es-denied");
    await page.getByLabel("Idioma").selectOption("English");
    await Promise.all([asksFor("en"), press(page, "Try again")]);
    await arriveAt(page, "Sign in to Microblog");
    await page.goto(url);
    await page.getByText("You came back from Microblog").waitFor();
    expect(person.complaints).to.deep.equal([]);
  });

  it("speaks the browser's language, and the one that the person chooses, with its numbers and times", async () => {
    const { page, person, wallet } = await openFor({
      locale: "es-ES",
      viewport: { width: 390, height: 844 },
    });
    await stack().setCredential(wallet.address, {
      followers: "12000",
      verified: "true",
      verified_type: "blue",
    });
    const dora = { accountId: "dora", name: "Dora", traits: { followers: "1234567" } };
    stack().sandbox.accounts.microblog.set("dora", dora);
    await page.goto(pageUrl({ wallet: wallet.address }));
    await page.getByRole("button", { name: /^Monedero de desarrollo/ }).waitFor();
    for (const more of ["Qué es esta página", "Privacidad"]) await page.getByText(more).click();
    await expectAccessible(page, "verify-es-1-connect", "body");
    await press(page, /^Test wallet/);
    await expectAccessible(page, "verify-es-2-sign-in");
    await press(page, "Entrar");
    await arriveAt(page, "Ya has verificado esta cuenta");
    await expectAccessible(page, "verify-es-3-prove");
    await page.setViewportSize({ width: 320, height: 640 });
    const [list, value] = await Promise.all(
      [page.locator("main dl"), page.locator("main dd").last()].map((each) => each.boundingBox()),
    );
    expect(value?.width, "room beside the longest name").to.be.above((list?.width ?? 0) * 0.45);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText("Verificarla de nuevo de todos modos").click();
    await press(page, /^Continuar en Microblog/);
    await press(page, "Continuar como Dora");
    await arriveAt(page, "¿Guardar esta cuenta?");
    await page.getByText("Las apps ven un código").click();
    await expectAccessible(page, "verify-es-4-check");
    await page.getByLabel("Idioma").focus();
    await page.keyboard.press("ArrowUp");
    await arriveAt(page, "Store this account?");
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')");
    expect(focused, "the focus stays").to.equal("Language");
    await page.reload();
    await arriveAt(page, "Store this account?");
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
    await press(page, "Do not store it");
    await page.getByText("Nothing was stored.").waitFor();
    await page.getByLabel("Language").selectOption("Español");
    await page.getByText("No se ha guardado nada.").waitFor();
    stack().sandbox.accounts.microblog.delete("dora");
    await expectWholeScreen(page, "verify-es-discarded");
    expect(person.complaints).to.deep.equal([]);
  });
});
