import {
  type Catalogue,
  findLanguage,
  isLanguage,
  type Language,
} from "@hardhat-identity/protocol/languages";
import { languageOf } from "@hardhat-identity/verify-page/html/plainPage";
import type { Request } from "express";
import { en, type SandboxTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

/** The sandbox's texts. */
export const sandboxTexts: Catalogue<SandboxTexts> = { en, es };

/**
 * The language of a page: the one that the person chose on it, or else the first that there is of those that the verify
 * page asks for (`ui_locales` of OpenID Connect) and the browser's.
 */
export function chooseLanguage(request: Request, uiLocales: unknown): Language {
  if (isLanguage(request.query.language)) return request.query.language;
  return findLanguage(String(uiLocales ?? "").split(" ")) ?? languageOf(request);
}
