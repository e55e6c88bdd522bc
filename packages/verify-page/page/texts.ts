import type { Catalogue } from "@hardhat-identity/protocol/languages";
import { en, type VerifyTexts } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** What the verify page says. */
export const verifyTexts: Catalogue<VerifyTexts> = { en, es };
