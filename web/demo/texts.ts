import type { Catalogue } from "../shared/language.tsx";
import { type DemoTexts, en } from "./texts/en.tsx";
import { es } from "./texts/es.tsx";

/** What the demo says. */
export const demoTexts: Catalogue<DemoTexts> = { en, es };
