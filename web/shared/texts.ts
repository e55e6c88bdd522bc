import type { Catalogue } from "../../protocol/languages.ts";
import { en, type SharedTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

/** What both pages say. */
export const sharedTexts: Catalogue<SharedTexts> = { en, es };
