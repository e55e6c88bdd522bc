import { expect } from "chai";
import { network } from "hardhat";
import { InvalidInputError } from "../../protocol/errors.ts";
import { nameTrait, traitWords, writeTrait } from "../../protocol/traitWords.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { startAuthorization } from "../../signer/internal/providers/oauth.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";
import { answerSandbox, ScriptedBrowser } from "../fixtures/signer/scriptedBrowser.ts";

// cspell:ignore desarrolladores verificación respondido sustituye proveedores azul elige verificada Cuenta Aquí ninguna página Iniciar sesión Crear usuario usuarios prueba Continuar quién eres Elige cuentas cuenta está vacío debe tipo Página encontrada Escribe Este inicio sesión terminado rechaza esta petición
describe("the sandbox identity provider", () => {
  it("refuses a chain that is not a local node", async () => {
    const node = {
      async request({ method }: { method: string }) {
        if (method === "eth_chainId") return "0x14a34";
        throw new Error("the method does not exist");
      },
    };
    const error = await rejection(startSandbox({ node }).then((sandbox) => sandbox.close()));
    expect(error).to.be.instanceOf(InvalidInputError);
  });

  it("asks who one is at every sign-in, and refuses what it cannot read", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    try {
      const client = sandbox.clients.microblog;
      const redirectUri = "http://localhost:3000/verify/callback/microblog";
      const browser = new ScriptedBrowser();
      for (let round = 0; round < 2; round++) {
        const { url } = await startAuthorization({ provider: "microblog", client, redirectUri });
        const page = await browser.visit(url);
        expect(page.body).to.include("Sign in to Microblog");
        const until = (next: URL) => next.hostname === "localhost";
        const bad = { action: "invent", accountId: "<b>", "trait.followers": "many" };
        const again = await answerSandbox(browser, page, bad, until);
        expect(again.status).to.equal(200);
        expect(again.body).to.include("Followers must be a whole number");
        for (const typed of ['value="&#60;b&#62;"', 'value="many"']) expect(again.body).to.include(typed);
        const done = await answerSandbox(browser, page, { action: "pick", pick: "1002" }, until);
        expect(done.url.searchParams.get("code")).to.be.a("string");
      }
    } finally {
      await sandbox.close();
    }
  });

  it("speaks the browser's language, or the one that the person chose, also of what went wrong", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    const client = sandbox.clients.microblog;
    const redirectUri = "http://localhost:3000/verify/callback/microblog";
    const browser = new ScriptedBrowser();
    const start = async () => (await startAuthorization({ provider: "microblog", client, redirectUri })).url;
    const page = await browser.visit(await start());
    // What leads from there to the page is not asked in any language.
    const open = async (query = "", language = "es-MX, en;q=0.5") =>
      (await browser.visit(`${page.url}${query}`, { headers: { "accept-language": language } })).body;
    expect(await open())
      .to.include("Iniciar sesión en Microblog")
      .and.include('<html lang="es">');
    expect(await open("", "fr, en;q=0.5")).to.include("Sign in to Microblog");
    expect(await open("", "fr")).to.include("Sign in to Microblog");
    expect(await open("?language=en")).to.include("Sign in to Microblog");
    expect(await open("?language=xx"), "remembered").to.include("Sign in to Microblog");
    expect(await open("?language=es")).to.include("Iniciar sesión en Microblog");
    const until = (next: URL) => next.hostname === "localhost";
    for (const [form, problem] of [
      [{ action: "pick" }, "Elige uno de los usuarios."],
      [{ action: "invent" }, "Escribe un ID de cuenta"],
      [{ action: "invent", accountId: "1", "trait.verified": "maybe" }, "Cuenta verificada: elige sí o no."],
    ] as const) {
      const again = await answerSandbox(browser, page, form, until);
      expect(again.status).to.equal(200);
      expect(again.body).to.include(problem);
    }
    await answerSandbox(browser, page, { action: "pick", pick: "1001" }, until);
    expect(await open())
      .to.include("Ya has respondido")
      .and.match(
        /href="http:\/\/localhost:\d+\/verify\?ended=true">Ir a la página de verificación en localhost:\d+<\/a>/,
      );
    const asking = new URL(await start());
    asking.searchParams.set("ui_locales", "xx es-MX en");
    const english = { headers: { "accept-language": "en" } };
    const stranger = new ScriptedBrowser();
    const asked = await stranger.visit(asking, english);
    const show = async (query = "") => (await stranger.visit(`${asked.url}${query}`, english)).body;
    expect(await show(), "the link's language").to.include("Iniciar sesión en Microblog");
    await answerSandbox(stranger, asked, { action: "refuse" }, until);
    expect(await show(), "the link's language at its end").to.include("Ya has respondido");
    expect(await show("?language=en"), "the person's own choice").to.include("You have already answered");
    const unknown = await stranger.visit(`${sandbox.url}/microblog/sign-in/unknown`, english);
    expect(unknown.body)
      .to.include("This sign-in has ended")
      .and.match(/>Go to the verify page at localhost/);
    const url = new URL(await start());
    url.searchParams.set("redirect_uri", "http://10.0.0.1/");
    expect((await browser.visit(url)).body)
      .to.include("El sandbox rechaza esta petición")
      .and.match(/<small>Para sus desarrolladores: <span lang="en">redirect_uri /);
  });

  it("answers a wrong form with a redirect, so that Back and reload show its page again", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    const client = sandbox.clients.microblog;
    const redirectUri = "http://localhost:3000/verify/callback/microblog";
    const { url } = await startAuthorization({ provider: "microblog", client, redirectUri });
    const browser = new ScriptedBrowser();
    const page = await browser.visit(url);
    const body = new URLSearchParams({ action: "invent", accountId: "1", "trait.followers": "many" });
    const response = await browser.request(page.url, { method: "POST", body });
    expect(response.status).to.equal(303);
    expect(new URL(response.headers.get("location") ?? "", page.url).href).to.equal(page.url.href);
    for (const time of ["after the redirect", "reloaded"]) {
      const again = await browser.visit(page.url);
      expect(again.status, time).to.equal(200);
      expect(again.body, time).to.include('value="many"').and.include("Followers must be a whole number");
    }
  });

  it("has a page for an address that it does not have, which says where to start", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    for (const [path, language, says] of [
      ["/nothing", "es", "Página no encontrada"],
      ["/microblog", "en", "Page not found"],
      ["/microblog/nothing", "es", "Página no encontrada"],
    ] as const) {
      const headers = { accept: "text/html,*/*;q=0.8", "accept-language": language };
      const response = await fetch(`${sandbox.url}${path}`, { headers });
      expect(response.status, path).to.equal(404);
      expect(await response.text(), path).to.include(`<h1>${says}</h1>`);
    }
    // Once somebody has come from a verify page, there is a way back to it.
    const client = sandbox.clients.microblog;
    const redirectUri = "http://localhost:3000/verify/callback/microblog";
    const { url } = await startAuthorization({ provider: "microblog", client, redirectUri });
    await new ScriptedBrowser().visit(url);
    for (const path of ["/", "/nothing", "/exchange/nothing"]) {
      const response = await fetch(`${sandbox.url}${path}`, { headers: { accept: "text/html" } });
      expect(await response.text(), path).to.match(
        /href="http:\/\/localhost:\d+\/verify">Go to the verify page at localhost/,
      );
    }
  });

  it("says at its own address what it is, and where to read more", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    for (const [language, says] of [
      ["en", "This sandbox stands in for the providers"],
      ["es", "Este sandbox sustituye a los proveedores"],
    ] as const) {
      const response = await fetch(sandbox.url, { headers: { "accept-language": language } });
      expect(response.status).to.equal(200);
      // In the service's own colour: it is no provider's page.
      expect(await response.text())
        .to.include(says)
        .and.include("docs/providers.md#the-sandbox")
        .and.not.include("hsl(");
    }
  });

  it("answers a program in JSON or plain text at an address that a provider does not have", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    const response = await fetch(`${sandbox.url}/microblog/nothing`, {
      headers: { accept: "application/json" },
    });
    expect(response.status).to.equal(404);
    expect(response.headers.get("content-type")).not.to.include("html");
  });

  it("shows an account in the words of the verify page, in each language", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    for (const provider of ["microblog", "exchange", "photo_social", "short_video"] as const) {
      const client = sandbox.clients[provider];
      const redirectUri = `http://localhost:3000/verify/callback/${provider}`;
      const { url } = await startAuthorization({ provider, client, redirectUri });
      const browser = new ScriptedBrowser();
      const page = await browser.visit(url);
      const [account] = sandbox.accounts[provider].values();
      for (const language of ["en", "es"] as const) {
        const { body } = await browser.visit(`${page.url}?language=${language}`);
        const [, card = ""] = /<li class="card">(.*?)<\/dl>/s.exec(body) ?? [];
        const shown = [...card.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [
          name,
          value,
        ]);
        const words = traitWords[language];
        if (provider === "microblog" && language === "es") {
          expect(shown.at(-1)).to.deep.equal(["Tipo de verificación", "azul"]);
          expect(body).to.include('<option value="true">sí</option>').and.include('placeholder="sin valor"');
          const labels = [...body.matchAll(/<label for="trait-[^>]*>(.*?)<\/label>/g)].map(
            ([, name]) => name,
          );
          expect(labels).to.deep.equal(shown.map(([name]) => name));
        }
        expect(shown).to.deep.equal(
          Object.entries(account?.traits ?? {}).map(([trait, value]) => [
            nameTrait(trait, words),
            writeTrait(trait, value, words, language),
          ]),
        );
        expect(card).to.include(`<b>${account?.name}</b>`);
        const asked = [...body.matchAll(/<li>(.*?)<\/li>/g)].map(([, name]) => name);
        expect(asked).to.include.members(shown.map(([name]) => name));
      }
    }
  });

  it("sends people back to loopback alone", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    try {
      const client = sandbox.clients.microblog;
      const redirectUri = "http://10.0.0.1/verify/callback/microblog";
      const { url } = await startAuthorization({ provider: "microblog", client, redirectUri });
      const page = await new ScriptedBrowser().visit(url);
      expect(page.status).to.equal(400);
      expect(page.url.hostname).to.equal("127.0.0.1");
    } finally {
      await sandbox.close();
    }
  });
});
