import type { Catalogue } from "../../protocol/languages.ts";
import { type DemoTexts, en } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** What the demo says. */
export const demoTexts: Catalogue<DemoTexts> = { en, es };
