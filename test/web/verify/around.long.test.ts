import { expect } from "chai";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { arriveAt, press, readFocus, sizes } from "../../fixtures/web/screen.ts";
import { useVerifyPage } from "../../fixtures/web/verifyPage.ts";

// cspell:ignore Iniciar sesión Crear usuario usuarios prueba Continuar Conecta monedero Entrar verificada Verificar seguidores tipo verificación cuenta correcto Idioma hoy Demuestra eres una sola quién inventar alguien como esta está vacío vale cualquier texto Intentar nuevo Verificarla todos modos guardado
describe("What is around the verify page", function () {
  this.timeout(60_000);
  const { browser, openFor, pageUrl, pickAlice, setCredential, signIn, stack } = useVerifyPage();

  it("has a front door, from which a person finds the page", async () => {
    const person = await openBrowser(browser());
    await person.page.goto(`${stack().service.url}/`);
    await arriveAt(person.page, "Prove that you are one person");
    await expectAccessible(person.page, "front");
    await person.page.getByRole("link", { name: "Español" }).click();
    await arriveAt(person.page, "Demuestra que eres una sola persona");
    await person.page.getByRole("link", { name: "English" }).click();
    await person.page.getByRole("link", { name: "Prove an account" }).click();
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
    await page.goto(url);
    await press(page, /^Test wallet/);
    await press(page, "Entrar");
    await press(page, /^Verificar tu cuenta/);
    await arriveAt(page, "Iniciar sesión en Microblog");
    await expectAccessible(page, "sandbox-es");
    await page.getByText("12 seguidores · verificada: no · tipo de verificación: none").waitFor();
    await page.getByText("Crear un usuario de prueba").click();
    await press(page, "Continuar como este usuario");
    await page.getByText("Introduce un id de cuenta").waitFor();
    expect(await readFocus(page)).to.equal("Introduce un id de cuenta. Vale cualquier texto.");
    await expectAccessible(page, "sandbox-es-problem");
    await page.getByRole("link", { name: "English" }).click();
    await arriveAt(page, "Sign in to Microblog");
    const asked = await page.locator(".asked li").allInnerTexts();
    expect(asked).to.deep.equal(["account id", "followers", "verified", "verified type"]);
    await press(page, "Deny");
    await press(page, "Intentar de nuevo");
    await arriveAt(page, "Sign in to Microblog");
    expectNoStrangers(person, [stack().service.url, stack().sandbox.url, stack().rpcUrl]);
  });

  for (const [locale, time] of [
    ["en-GB", /^Already proven \w+ at \d\d:\d\d\.?$/],
    ["en-US", /^Already proven \w+ at \d?\d:\d\d\s[AP]M\.?$/],
  ] as const) {
    it(`writes times as the browser's ${locale} does`, async () => {
      const { page, person, wallet, url } = await openFor({ locale });
      await setCredential(wallet.address);
      await signIn(person, url);
      await page.getByText(time).waitFor();
    });
  }

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
    await page.getByText(/^Ya verificada hoy, \d/).waitFor();
    await page.getByText("12.000").waitFor();
    await expectAccessible(page, "verify-es-3-prove");
    await page.getByText("Verificarla de nuevo de todos modos").click();
    await press(page, /^Verificar tu cuenta/);
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
