import type { Catalogue } from "@hardhat-identity/protocol/languages";
import { en, type SharedTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

/** What both pages say. */
export const sharedTexts: Catalogue<SharedTexts> = { en, es };
