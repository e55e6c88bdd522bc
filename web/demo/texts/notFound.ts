import type { Catalogue } from "../../../protocol/languages.ts";

/** What the demo's server says where it has no page. */
export const notFoundTexts: Catalogue<{
  readonly where: string;
  readonly title: string;
  readonly text: string;
  readonly demo: string;
}> = {
  en: {
    where: "hardhat-identity demo",
    title: "Page not found",
    text: "Check the address, or start from the demo.",
    demo: "Go to the demo",
  },
  // cspell:disable
  es: {
    where: "Demo de hardhat-identity",
    title: "Página no encontrada",
    text: "Comprueba la dirección o empieza por la demostración.",
    demo: "Ir a la demostración",
  },
};
