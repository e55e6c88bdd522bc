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
    heading: "Prove that an account is yours",
    what: "With this service, apps count each account once, however many wallets its owner has, and do not learn whose it is. You prove that an account is yours, such as a social media account. You first see what will be stored, and you can delete it at any time.",
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
    heading: "Demuestra que una cuenta es tuya",
    what: "Con este servicio, las apps cuentan cada cuenta una sola vez, tenga los monederos que tenga su dueño, y no saben de quién es. Demuestras que una cuenta es tuya, por ejemplo la de una red social. Antes de guardar nada, ves qué se guardaría, y puedes borrarlo cuando quieras.",
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
