import { expect } from "chai";
import { network } from "hardhat";
import { InvalidInputError } from "../../protocol/errors.ts";
import { startSandbox } from "../../sandbox/sandbox.ts";
import { startAuthorization } from "../../signer/internal/providers/oauth.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";
import { answerSandbox, ScriptedBrowser } from "../fixtures/signer/scriptedBrowser.ts";

// cspell:ignore Aquí ninguna página Iniciar sesión Crear usuario usuarios prueba Continuar quién eres Elige cuentas cuenta está vacío debe tipo Este inicio sesión terminado rechaza esta petición
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
        expect(again.status).to.equal(400);
        expect(again.body).to.include("followers must be of type int");
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
      [{ action: "invent" }, "Introduce un id de cuenta"],
      [{ action: "invent", accountId: "1", "trait.verified": "maybe" }, "verified debe ser de tipo bool"],
    ] as const) {
      const again = await answerSandbox(browser, page, form, until);
      expect(again.status).to.equal(400);
      expect(again.body).to.include(problem);
    }
    await answerSandbox(browser, page, { action: "pick", pick: "1001" }, until);
    expect(await open()).to.include("Este inicio de sesión ha terminado");
    const url = new URL(await start());
    url.searchParams.set("redirect_uri", "http://10.0.0.1/");
    expect((await browser.visit(url)).body).to.include("El sandbox rechaza esta petición");
  });

  it("has a page for an address that it does not have, which says where to start", async () => {
    const { provider: node } = await network.create("identityLocal");
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    for (const [path, language, says] of [
      ["/", "en", "There is no page here"],
      ["/nothing", "es", "Aquí no hay ninguna página"],
    ] as const) {
      const response = await fetch(`${sandbox.url}${path}`, { headers: { "accept-language": language } });
      expect(response.status).to.equal(404);
      expect(await response.text()).to.include(`<h1>${says}</h1>`);
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
