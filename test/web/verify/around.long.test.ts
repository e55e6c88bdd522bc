import { expect } from "chai";
import type { Page } from "playwright-core";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, readFocus, sizes } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

// cspell:ignore última ninguna elige escribe número entero solo cifras ejemplo sustituye existe pide desarrollo Denegar denegado acceso Iniciar sesión Crear usuario usuarios prueba Continuar Conecta monedero Entrar verificada Verificar seguidores tipo verificación cuenta correcto Idioma hoy Demuestra eres una sola quién inventar alguien como esta está vacío vale cualquier texto Intentar nuevo Verificarla todos modos guardado
describe("What is around the verify page", function () {
  this.timeout(60_000);
  const { browser, openFor, pageUrl, pickAlice, setCredential, signIn, stack } = useVerifyPage();

  async function goToSandboxInSpanish(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await press(page, /^Test wallet/);
    await press(page, "Entrar");
    await press(page, /^Continuar en/);
    await arriveAt(page, "Iniciar sesión en Microblog");
  }

  it("has a front door, from which a person finds the page", async () => {
    const person = await openBrowser(browser());
    await person.page.goto(`${stack().service.url}/`);
    await arriveAt(person.page, "Prove that you are one real person");
    await expectAccessible(person.page, "front");
    await person.page.getByText("English", { exact: true }).click();
    await expectAccessible(person.page, "front-languages");
    await person.page.getByRole("link", { name: "Español" }).click();
    await arriveAt(person.page, "Demuestra que eres una persona real");
    await person.page.getByText("Español", { exact: true }).click();
    await person.page.getByRole("link", { name: "English" }).click();
    await person.page.getByRole("link", { name: "Prove an account is yours" }).click();
    await arriveAt(person.page, "Connect a wallet");
    expectNoStrangers(person, [stack().service.url, stack().rpcUrl]);
  });

  it("leads to the operator's privacy notice where there is one", async () => {
    const notice = "https://identity.example/privacy";
    const { service } = await serveVerifyPage({ IDENTITY_PRIVACY_URL: notice });
    const { page } = await openBrowser(browser());
    for (const [url, links] of [
      [service.url, 1],
      [stack().service.url, 0],
    ] as const) {
      await page.goto(`${url}/verify`);
      await arriveAt(page, "Connect a wallet");
      await page.getByText("Privacy", { exact: true }).click();
      await page.getByText("This page sets cookies").waitFor();
      const link = page.getByRole("link", { name: "Privacy notice of this service’s operator" });
      expect(await link.count()).to.equal(links);
      if (links === 1) expect(await link.getAttribute("href")).to.equal(notice);
    }
    await expectAccessible(page, "verify-privacy");
  });

  it("has a sandbox that speaks the browser's language, and the one that the person chooses", async () => {
    const { page, person, url } = await openFor({ ...sizes["a phone"], locale: "es-ES" });
    await goToSandboxInSpanish(page, url);
    await expectAccessible(page, "sandbox-es");
    const cards = page.locator(".card dl div");
    const shown = await cards.evaluateAll((items) =>
      items.map(({ children }) => [...children].map(({ textContent }) => textContent).join(" ")),
    );
    expect(shown.join(", ")).to.include("Seguidores 12, Cuenta verificada no, Tipo de verificación ninguna");
    await page.getByText("Crear un usuario de prueba").click();
    const id = page.locator('[name="accountId"]');
    expect(await id.inputValue(), "one that nobody has").to.equal("1003");
    await id.fill("");
    await page.locator('[name="trait.followers"]').fill("many");
    await press(page, "Entrar como este usuario");
    await page.getByText("Escribe un ID de cuenta").waitFor();
    // All that is wrong at once, with the focus at the first.
    await page.getByText("Seguidores: escribe un número entero").waitFor();
    expect(await page.locator("[aria-invalid=true]").count()).to.equal(2);
    expect(await page.locator("[autofocus]").count()).to.equal(1);
    const wrong = page.locator(":focus[aria-invalid=true]");
    const readProblem = async () => {
      const id = await wrong.getAttribute("aria-describedby");
      return [await readFocus(page), await page.locator(`#${id}`).innerText()];
    };
    expect(await readProblem()).to.deep.equal([
      "ID de la cuenta Si el ID ya existe, se sustituye esa cuenta.",
      "Escribe un ID de cuenta. Vale cualquier texto.",
    ]);
    await expectAccessible(page, "sandbox-es-problem");
    const typed = { accountId: "77", name: "Zoe", "trait.followers": "lots", "trait.verified": "true" };
    for (const [name, value] of Object.entries(typed)) {
      const field = page.locator(`[name="${name}"]`);
      await (name === "trait.verified" ? field.selectOption(value) : field.fill(value));
    }
    await press(page, "Entrar como este usuario");
    await page.getByText("Seguidores: escribe un número entero").waitFor();
    expect(await readProblem()).to.deep.equal([
      "Seguidores",
      "Seguidores: escribe un número entero solo con cifras, por ejemplo 1200.",
    ]);
    for (const [name, value] of Object.entries(typed)) {
      expect(await page.locator(`[name="${name}"]`).inputValue(), name).to.equal(value);
    }
    await page.getByText("Español", { exact: true }).click();
    await page.getByRole("link", { name: "English" }).click();
    await arriveAt(page, "Sign in to Microblog");
    const asked = await page.locator(".asked li").allInnerTexts();
    expect(asked).to.deep.equal(["Account id", "Followers", "Verified", "Verification type"]);
    await press(page, "Deny");
    await press(page, "Intentar de nuevo");
    await arriveAt(page, "Sign in to Microblog");
    expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl]);
  });

  for (const [locale, time] of [
    ["en-GB", /^Last proven \w+ at \d\d:\d\d$/],
    ["en-US", /^Last proven \w+ at \d?\d:\d\d\s[AP]M$/],
  ] as const) {
    it(`writes times as the browser's ${locale} does`, async () => {
      const { page, person, wallet, url } = await openFor({ locale });
      await setCredential(wallet.address);
      await signIn(person, url);
      await page.getByText(time).waitFor();
    });
  }

  it("breaks a big number between its groups of digits, where it must", async () => {
    const { page, person, wallet, url } = await openFor({ viewport: { width: 320, height: 640 } });
    await stack().setCredential(wallet.address, { followers: "9007199254740993123456789" });
    await signIn(person, url);
    await page.getByText("9,007,199,254,740,993,123,456,789").first().waitFor();
    const lines = await page.evaluate<number[]>(`{
      const range = document.createRange();
      const countLines = (node) => (range.selectNodeContents(node), new Set([...range.getClientRects()].map(({ y }) => y)).size);
      const number = document.querySelector("dd");
      [number, ...[...number.childNodes].filter(({ data }) => data)].map(countLines);
    }`);
    expect(lines.shift(), "the number").to.be.greaterThan(1);
    expect(Math.max(...lines), "a group of digits").to.equal(1);
  });

  for (const locale of ["en", "es"]) {
    it(`has room for the four steps, as wide as each other, on the smallest phone: ${locale}`, async () => {
      const { page, url } = await openFor({ locale, viewport: { width: 320, height: 640 } });
      await page.goto(url);
      const steps = page.locator(".steps li");
      await steps.first().waitFor();
      const measured = await steps.evaluateAll((items) =>
        items.map((item) => ({
          width: item.getBoundingClientRect().width.toFixed(1),
          fits: item.scrollWidth <= item.clientWidth,
          lines: new Set([...(item.firstElementChild?.getClientRects() ?? [])].map(({ y }) => y)).size,
        })),
      );
      expect(measured).to.have.length(4);
      for (const each of measured)
        expect(each).to.deep.equal({ width: measured[0]?.width, fits: true, lines: 1 });
    });
  }

  it("names no provider where the app takes an account of any, and offers each by a button as wide as the others", async () => {
    const { page, person, wallet } = await openFor({ locale: "es-ES" });
    const url = pageUrl({ wallet: wallet.address, providers: "" });
    await page.goto(url);
    await page.locator(".purpose", { hasText: /pide una cuenta para el monedero 0x/ }).waitFor();
    await page.getByRole("button", { name: /^Monedero de desarrollo/ }).waitFor();
    await page.getByLabel("Idioma").selectOption("English");
    await signIn(person, url);
    const buttons = await page.getByRole("button", { name: "(sandbox)" }).all();
    const widths = await Promise.all(buttons.map(async (button) => (await button.boundingBox())?.width));
    expect(widths).to.have.length(4);
    expect(new Set(widths).size).to.equal(1);
  });

  it("speaks the language that the app's link asks for, up to the provider and back, until the person chooses one", async () => {
    const { page, person, wallet } = await openFor({ locale: "en-GB" });
    const url = pageUrl({ wallet: wallet.address, ui_locales: "xx es-ES" });
    await goToSandboxInSpanish(page, url);
    await press(page, "Denegar");
    await arriveAt(page, "Has denegado el acceso");
    await page.getByLabel("Idioma").selectOption("English");
    await press(page, "Try again");
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
    await setCredential(wallet.address);
    await page.goto(pageUrl({ wallet: wallet.address }));
    await arriveAt(page, "Conecta un monedero");
    expect(await page.locator("html").getAttribute("lang")).to.equal("es");
    await expectAccessible(page, "verify-es-1-connect");
    await press(page, /^Test wallet/);
    await expectAccessible(page, "verify-es-2-sign-in");
    await press(page, "Entrar");
    await page.getByText(/^Verificada por última vez hoy, \d/).waitFor();
    await page.getByText("12.000").waitFor();
    await expectAccessible(page, "verify-es-3-prove");
    await page.getByText("Verificarla de nuevo de todos modos").click();
    await press(page, /^Continuar en Microblog/);
    await pickAlice(page);
    await arriveAt(page, "¿Es correcto?");
    await expectAccessible(page, "verify-es-4-check");
    await page.getByLabel("Idioma").selectOption("English");
    await arriveAt(page, "Is this right?");
    await page.reload();
    await arriveAt(page, "Is this right?");
    expect(await page.locator("html").getAttribute("lang")).to.equal("en");
    await press(page, "Do not store it");
    await page.getByText("Nothing was stored.").waitFor();
    await page.getByLabel("Language").selectOption("Español");
    await page.getByText("No se ha guardado nada.").waitFor();
    expect(person.complaints).to.deep.equal([]);
  });
});
