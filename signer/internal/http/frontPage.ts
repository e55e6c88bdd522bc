import type { Request, RequestHandler } from "express";
import type { Language } from "../../../protocol/languages.ts";
import { project } from "../../../protocol/project.ts";
import { type Html, html } from "../../pages/html.ts";
import { languageOf, type PlainPage, sendPlainPage } from "../../pages/plainPage.ts";
import { type Service, verifyRoute } from "../service/service.ts";
import { pageBrand } from "./brand.ts";
import { frontTexts } from "./texts/frontPage.ts";

/**
 * Serves a page to a person who opens the service, or an unknown path of it, in a browser. Programs do not ask for HTML
 * and get the next handler's answer.
 */
export function frontPage(service: Service): RequestHandler {
  return (request, response, next) => {
    response.vary("Accept");
    if (!isVisit(request)) return next();
    const isFound = request.path === "/";
    sendPlainPage(response.status(isFound ? 200 : 404), describe(service, languageOf(request), isFound));
  };
}

function describe(service: Service, language: Language, isFound: boolean): PlainPage {
  const { publicUrl, verifyUrl } = service;
  const { privacyUrl, brand } = service.config;
  const texts = frontTexts[language];
  const heading = isFound ? texts.heading : texts.lost;
  const says = isFound ? texts.what : texts.lostWhy;
  return {
    ...{
      language,
      title: isFound ? (brand?.name ?? texts.title) : heading,
      where: texts.title,
      host: new URL(publicUrl).host,
      brand: brand && pageBrand(brand, `${publicUrl}${verifyRoute}`),
    },
    body: html`<h1>${heading}</h1>
<p>${says}</p>
<p><a class="button" href="${verifyUrl}">${texts.prove}</a></p>`,
    footer: html`${privacyUrl === undefined ? undefined : link(privacyUrl, texts.privacy)}
${link(`${publicUrl}/openapi.json`, texts.developers)}
${link(project.licence, texts.licence)}
${link(project.source, texts.source)}`,
  };
}

const link = (url: string, text: string): Html => html`<a href="${url}">${text}</a>`;

/** Whether a person opens an address in a browser. Programs accept anything, or JSON. */
function isVisit({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}
