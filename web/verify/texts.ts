import type { Catalogue } from "../../protocol/languages.ts";
import { en, type VerifyTexts } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** The verify page's texts. */
export const verifyTexts: Catalogue<VerifyTexts> = { en, es };
