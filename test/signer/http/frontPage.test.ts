import { expect } from "chai";
import { project } from "../../../packages/verify-page/content/project.ts";
import { readPage } from "../../fixtures/signer/scriptedBrowser.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { frontPage, wholeHead } from "../../fixtures/wholeHead.ts";

// cspell:disable
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("The service in a browser", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;
  before(async () => {
    stack = await startStack();
  });

  const open = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(stack.url + path, { method, headers: { ...browser, ...headers } });

  it("introduces itself in the person's language, and links to the verify page", async () => {
    const answer = await open("/");
    for (const { status } of [answer, await open("/", {}, "HEAD")]) expect(status).to.equal(200);
    const { host } = new URL(stack.url);
    const links = (...[developers, licence, source]: readonly string[]) =>
      `[${stack.url}/openapi.json] ${developers} [${project.licence}] ${licence} [${project.source}] ${source}`;
    const inEnglish = `Identity service: Identity service ${host} English [?language=es] Español Verify your account Verify one of your accounts, such as a social media account. Apps count each account once, however many wallets its owner has. They see a code instead of your account. You see what will be stored first, and can delete it at any time. [${stack.url}/verify] Verify an account ${links("For developers (OpenAPI)", "MIT license", "Source code")}`;
    const english = await answer.text();
    expect(readPage(english)).to.equal(inEnglish);
    expect(english).to.include('<meta name="description" content="Verify one of your accounts, such as');
    const spanish = await (await open("/", { "accept-language": "fr, es-MX;q=0.9, en;q=0.5" })).text();
    expect(spanish).to.include('<html lang="es">').and.include(' lang="en" hreflang="en">');
    expect(spanish).to.include('<meta name="description" content="Verifica una de tus cuentas, por ejemplo');
    const inSpanish = links("Para desarrolladores (OpenAPI)", "Licencia MIT", "Código fuente");
    expect(readPage(spanish)).to.equal(
      `Servicio de identidad: Servicio de identidad ${host} Español [?language=en] English Verifica tu cuenta Verifica una de tus cuentas, por ejemplo la de una red social. Las apps cuentan cada cuenta una sola vez, tenga los monederos que tenga su dueño. Ven un código en lugar de tu cuenta. Antes de guardar nada, ves qué se guardaría, y puedes borrarlo cuando quieras. [${stack.url}/verify] Verificar una cuenta ${inSpanish}`,
    );
    expect(await (await open("/?language=es")).text()).to.equal(spanish);
    const lost = await open("/lost?language=es&<script>");
    expect([lost.status, readPage(await lost.text())]).to.deep.equal([
      404,
      `Página no encontrada: Servicio de identidad ${host} Español [?language=en] English Página no encontrada Revisa el enlace, o empieza aquí: [${stack.url}/verify] Verificar una cuenta ${inSpanish}`,
    ]);
    expect(readPage(await (await open("/lost")).text())).to.include(
      "English [?language=es] Español Page not found Check the link, or start here: [",
    );
  });

  it("runs no script, cannot be framed or kept, and tells no other page where one was", async () => {
    expect(wholeHead(await open("/"))).to.deep.equal({
      ...frontPage,
      vary: "Accept, Accept-Language",
    });
  });

  it("answers programs with the problem", async () => {
    for (const [path, headers, method] of [
      ["/", { accept: "*/*" }, "GET"],
      ["/", { accept: "application/json" }, "GET"],
      ["/nothing", { accept: "" }, "GET"],
      ["/", {}, "POST"],
      ["/nothing", {}, "DELETE"],
    ] as const) {
      const answer = await open(path, headers, method);
      expect(answer.status, path).to.equal(404);
      expect(answer.headers.get("content-type")).to.equal("application/problem+json; charset=utf-8");
      expect(await answer.json()).to.include({ code: "not_found" });
    }
  });

  it("leaves answers for programs unchanged", async () => {
    expect((await open("/healthz")).headers.get("content-type")).to.include("json");
    expect((await open("/v1/onchain_verifications")).status).to.equal(405);
  });
});
