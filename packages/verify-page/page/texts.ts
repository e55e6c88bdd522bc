import type { Catalogue } from "@hardhat-identity/protocol/languages";
import { en, type VerifyTexts } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** The verify page's texts. */
export const verifyTexts: Catalogue<VerifyTexts> = { en, es };
