import type { Pages } from "@hardhat-identity/signer/pages";
import type { Request, Response } from "express";
import type { Brand } from "../html/brand.ts";
import { html } from "../html/html.ts";
import { languageOf, sendPlainPage } from "../html/plainPage.ts";
import { pageBrand } from "./brand.ts";
import { isVisit } from "./frontPage.ts";
import { queryOf } from "./pageRequest.ts";
import { continueTexts } from "./texts/continue.ts";

/** The part of the service that such a page shows. */
export interface NamedService {
  readonly config: { readonly brand?: Brand | undefined };
  readonly verifyUrl: string;
}

/** Shows a person why the address has to be opened once more, and a button for that. */
export function askToContinue(
  { config, verifyUrl }: NamedService,
  request: Request,
  response: Response,
  why: "title" | "wait" | "busy",
): void {
  const language = languageOf(request);
  const texts = continueTexts[language];
  sendPlainPage(response, {
    language,
    // It may have a provider's answer.
    query: queryOf(request.url),
    where: texts.where,
    title: texts[why],
    host: new URL(verifyUrl).host,
    brand: config.brand && pageBrand(config.brand, verifyUrl),
    body: html`<h1>${texts[why]}</h1><p><a class="button" href="">${texts.go}</a></p>`,
  });
}

/** Answers a person whose visit is one too many, or comes while something that the service needs is away. */
export function answerVisits(service: NamedService): Required<Pages>["problem"] {
  return (request, response) => {
    const passes = response.statusCode === 429 || response.statusCode === 503;
    if (!passes || !isVisit(request)) return false;
    askToContinue(service, request, response, "busy");
    return true;
  };
}
