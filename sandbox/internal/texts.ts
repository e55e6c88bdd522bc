import type { Catalogue } from "../../protocol/languages.ts";
import { en, type SandboxTexts } from "./texts/en.ts";
import { es } from "./texts/es.ts";

export type { SandboxTexts } from "./texts/en.ts";
export const sandboxTexts: Catalogue<SandboxTexts> = { en, es };
