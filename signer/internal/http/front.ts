import { createHash } from "node:crypto";
import type { Request, RequestHandler } from "express";
import type { Service } from "../service.ts";
import { keepFromCaches } from "./noStore.ts";

const texts = {
  en: {
    language: "en",
    title: "Identity service",
    what: "It tells apps that a wallet belongs to one real person, and not to whom.",
    prove: "Prove an account, or manage yours",
    developers: "For developers: what apps may ask, as OpenAPI",
    lost: "There is nothing at this address",
  },
  // cspell:disable
  es: {
    language: "es",
    title: "Servicio de identidad",
    what: "Dice a las aplicaciones que un monedero es de una persona real, y no de quién.",
    prove: "Demostrar una cuenta, o gestionar las tuyas",
    developers: "Para desarrolladores: qué pueden pedir las aplicaciones, en OpenAPI",
    lost: "No hay nada en esta dirección",
  },
  // cspell:enable
} as const;

/**
 * What a person sees who opens the service, or a path of it at which there is nothing, in a browser. Programs, which ask
 * for no HTML, go on to the problem.
 */
export function front(service: Service): RequestHandler {
  return (request, response, next) => {
    response.vary("Accept");
    if (!isVisit(request)) return next();
    response.vary("Accept-Language");
    const words = texts[request.acceptsLanguages("en", "es") === "es" ? "es" : "en"];
    response.set({
      "Content-Security-Policy": pagePolicy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
    keepFromCaches(response);
    const isFound = request.path === "/";
    response
      .status(isFound ? 200 : 404)
      .type("html")
      .send(renderPage(service, words, isFound ? words.title : words.lost));
  };
}

const style = `
:root { color-scheme: light dark; font: 100%/1.55 system-ui, sans-serif;
  background: light-dark(#fbfbfa, #15181b); color: light-dark(#1c2126, #e7eaed); }
body { margin: 0; }
main { max-width: 36rem; margin: 0 auto; padding: 3rem 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; }
a { color: light-dark(#1f5fa8, #8ab8ee); display: inline-block; padding: .4rem 0; }
p { margin: 0 0 .5rem; }
`;

const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Whether a person has opened an address in a browser; programs accept anything, or JSON. */
export function isVisit({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}

type Words = (typeof texts)[keyof typeof texts];

function renderPage({ publicUrl, verifyUrl }: Service, words: Words, title: string): string {
  const { language, what, prove, developers } = words;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${escapeHtml(new URL(publicUrl).host)}. ${what}</p>
<p><a href="${escapeHtml(verifyUrl)}">${prove}</a></p>
<p><a href="${escapeHtml(publicUrl)}/openapi.json">${developers}</a></p>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
