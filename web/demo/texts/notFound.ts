import type { Catalogue } from "../../../protocol/languages.ts";

/** What the demo's server says where it has no page. */
export const notFoundTexts: Catalogue<{
  readonly where: string;
  readonly title: string;
  readonly text: string;
  readonly demo: string;
}> = {
  en: {
    where: "Demo app",
    title: "There is no page here",
    text: "Check the address, or start from the demo.",
    demo: "Go to the demo",
  },
  // cspell:disable
  es: {
    where: "App de demostración",
    title: "Aquí no hay ninguna página",
    text: "Comprueba la dirección o empieza por la demostración.",
    demo: "Ir a la demostración",
  },
};
