import type { Language } from "@hardhat-identity/protocol/languages";
import { verifyRoute } from "@hardhat-identity/signer/pages";
import type { Request, RequestHandler } from "express";
import { project } from "../content/project.ts";
import type { Brand } from "../html/brand.ts";
import { css, type Html, html } from "../html/html.ts";
import { languageOf, type PlainPage, sendPlainPage } from "../html/plainPage.ts";
import { pageBrand } from "./brand.ts";
import { frontTexts } from "./texts/frontPage.ts";

/** The part of the service that the front page shows. */
export interface ShownService {
  readonly config: { readonly brand?: Brand | undefined };
  readonly publicUrl: string;
  readonly verifyUrl: string;
}

/**
 * Serves a page to a person who opens the service, or an unknown path of it, in a browser. Programs do not ask for HTML
 * and get the next handler's answer.
 */
export function frontPage(service: ShownService): RequestHandler {
  return (request, response, next) => {
    response.vary("Accept");
    if (!isVisit(request)) return next();
    const isFound = request.path === "/";
    sendPlainPage(
      response.status(isFound ? 200 : 404),
      composeFrontPage(service, languageOf(request), isFound),
    );
  };
}

function composeFrontPage(service: ShownService, language: Language, isFound: boolean): PlainPage {
  const { publicUrl, verifyUrl } = service;
  const { brand } = service.config;
  const texts = frontTexts[language];
  const heading = isFound ? texts.heading : texts.lost;
  const says = isFound ? texts.what : texts.lostWhy;
  return {
    language,
    title: isFound ? (brand?.name ?? texts.title) : heading,
    about: texts.what,
    where: texts.title,
    host: new URL(publicUrl).host,
    brand: brand && pageBrand(brand, `${publicUrl}${verifyRoute}`),
    style,
    typeface: `${publicUrl}${verifyRoute}/`,
    body: html`<h1>${heading}</h1>
<p>${says}</p>
${isFound ? html`<ul>${texts.promises.map((text) => html`<li>${text}</li>`)}</ul>` : undefined}
<p><a class="button" href="${verifyUrl}">${texts.prove}</a></p>`,
    footer: html`${brand?.privacyUrl === undefined ? undefined : link(brand.privacyUrl, texts.privacy)}
${link(`${publicUrl}/openapi.json`, texts.developers)}
${link(project.licence, texts.licence)}
${link(project.source, texts.source)}`,
  };
}

// A card where there is room, as on the verify page.
const style = css`
ul { list-style: none; margin: 0 0 1.5rem; padding: 0; }
li { position: relative; margin: 0 0 .5rem; padding-left: 1.9rem; }
li::before { content: "✓"; content: "✓" / ""; position: absolute; left: 0; width: 1.3rem; height: 1.3rem; margin-top: .15rem;
  border-radius: 50%; background: color-mix(in srgb, var(--accent) 14%, transparent); color: var(--accent);
  font-size: .8rem; font-weight: 700; line-height: 1.3rem; text-align: center; }
main > :last-child { margin-bottom: 0; }
@media (min-width: 44rem) and (min-height: 34rem) {
  main { flex: none; max-width: 40rem; margin-block: 1rem 3rem; padding: 1.5rem 1.75rem; background: var(--card);
    border: 1px solid var(--line); border-radius: 1rem; }
  header div, footer div { max-width: 40rem; padding-inline: calc(1.75rem + 1px); }
  footer { margin-top: auto; }
}
`;

const link = (url: string, text: string): Html => html`<a href="${url}">${text}</a>`;

/** Whether a person opens an address in a browser. Programs accept anything, or JSON. */
export function isVisit({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}
