import type { Catalogue } from "@hardhat-identity/protocol/languages";
import { en, type SharedTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

/** The texts of both pages. */
export const sharedTexts: Catalogue<SharedTexts> = { en, es };
