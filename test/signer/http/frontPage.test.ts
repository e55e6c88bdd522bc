import { expect } from "chai";
import { startStack } from "../../fixtures/signer/stack.ts";
import { wholeHead } from "../../fixtures/wholeHead.ts";

// cspell:ignore Página encontrada Servicio identidad nada esta dirección
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
    const html = await answer.text();
    expect(html).to.include(`href="${stack.url}/verify">Start<`).and.include('<html lang="en">');
    const spanish = await (await open("/", { "accept-language": "fr, es-MX;q=0.9, en;q=0.5" })).text();
    expect(spanish).to.include('<html lang="es">').and.include("Servicio de identidad");
    expect(spanish).to.include('<a href="?language=en" lang="en" hreflang="en">English</a>');
    expect(await (await open("/?language=es")).text()).to.include('<html lang="es">');
    const lost = await open("/lost?language=es&<script>");
    expect(lost.status).to.equal(404);
    expect(await lost.text())
      .to.include("Página no encontrada")
      .and.not.include("script");
  });

  it("runs no script, cannot be framed or kept, and tells no other page where one was", async () => {
    const { "content-security-policy": policy = "", ...head } = wholeHead(await open("/"));
    expect(policy.replace(/sha256-[\w+/]{43}=/, "#")).to.equal(
      "default-src 'none'; style-src '#'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(head).to.deep.equal({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      vary: "Accept, Accept-Language",
      "x-content-type-options": "nosniff",
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
