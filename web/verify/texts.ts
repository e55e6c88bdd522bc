import type { Catalogue } from "../../protocol/languages.ts";
import { en, type VerifyTexts } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** What the verify page says. */
export const verifyTexts: Catalogue<VerifyTexts> = { en, es };
