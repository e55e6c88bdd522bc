import type { Request, RequestHandler } from "express";
import { project } from "../../../protocol/project.ts";
import { type Html, html } from "../../pages/html.ts";
import { languageOf, sendPlainPage } from "../../pages/plainPage.ts";
import type { Service } from "../service/service.ts";
import { frontTexts } from "./texts/frontPage.ts";

/**
 * What a person sees who opens the service, or a path of it at which there is nothing, in a browser. Programs, which ask
 * for no HTML, go on to the problem.
 */
export function front(service: Service): RequestHandler {
  const { publicUrl, verifyUrl } = service;
  const { privacyUrl } = service.config;
  return (request, response, next) => {
    response.vary("Accept");
    if (!isVisit(request)) return next();
    const language = languageOf(request);
    const texts = frontTexts[language];
    const isFound = request.path === "/";
    const heading = isFound ? texts.heading : texts.lost;
    const says = isFound ? texts.what : texts.lostWhy;
    sendPlainPage(response.status(isFound ? 200 : 404), {
      ...{
        language,
        title: isFound ? texts.title : heading,
        where: texts.title,
        host: new URL(publicUrl).host,
      },
      body: html`<h1>${heading}</h1>
<p>${says}</p>
<p><a class="button" href="${verifyUrl}">${texts.prove}</a></p>`,
      footer: html`${privacyUrl === undefined ? undefined : link(privacyUrl, texts.privacy)}
${link(`${publicUrl}/openapi.json`, texts.developers)}
${link(project.licence, texts.licence)}
${link(project.source, texts.source)}`,
    });
  };
}

const link = (url: string, text: string): Html => html`<a href="${url}">${text}</a>`;

/** Whether a person has opened an address in a browser; programs accept anything, or JSON. */
export function isVisit({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}
