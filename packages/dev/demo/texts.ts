import type { Catalogue } from "@hardhat-identity/protocol/languages";
import { type DemoTexts, en } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

export type { DemoTexts };

/** The demo's texts. */
export const demoTexts: Catalogue<DemoTexts> = { en, es };
