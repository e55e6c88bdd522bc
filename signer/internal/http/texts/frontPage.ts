import type { Catalogue } from "../../../../protocol/languages.ts";

/** The texts of the service's front page. */
interface FrontTexts {
  readonly title: string;
  readonly heading: string;
  readonly what: string;
  readonly prove: string;
  readonly developers: string;
  readonly lost: string;
  readonly lostWhy: string;
  readonly privacy: string;
  readonly licence: string;
  readonly source: string;
}

export const frontTexts: Catalogue<FrontTexts> = {
  en: {
    title: "Identity service",
    heading: "Prove that you are one real person",
    what: "This service tells apps that a wallet belongs to one real person, without saying who. You prove that an account is yours, such as a social media account. You first see what will be stored, and you can delete it at any time.",
    prove: "Prove an account is yours",
    developers: "For developers (OpenAPI)",
    lost: "Page not found",
    lostWhy: "Check the link, or start here:",
    privacy: "Privacy",
    licence: "MIT license",
    source: "Source code",
  },
  // cspell:disable
  es: {
    title: "Servicio de identidad",
    heading: "Demuestra que eres una persona real",
    what: "Este servicio confirma a las apps que un monedero pertenece a una persona real, pero nunca a quién. Demuestras que una cuenta es tuya, por ejemplo la de una red social. Antes de guardar nada, ves qué se guardaría, y puedes borrarlo cuando quieras.",
    prove: "Verificar una cuenta",
    developers: "Para desarrolladores (OpenAPI)",
    lost: "Página no encontrada",
    lostWhy: "Revisa el enlace, o empieza aquí:",
    privacy: "Privacidad",
    licence: "Licencia MIT",
    source: "Código fuente",
  },
  // cspell:enable
};
