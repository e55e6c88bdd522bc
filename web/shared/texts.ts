import type { Catalogue } from "../../protocol/languages.ts";
import { en, type SharedTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

/** The texts of both pages. */
export const sharedTexts: Catalogue<SharedTexts> = { en, es };
