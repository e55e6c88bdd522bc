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
    heading: "Prove that you are one person",
    what: "This service tells apps that a wallet belongs to one real person, and never to whom. You prove that an account is yours, such as a social media account. You see what will be stored before it is stored, and can delete it at any time.",
    prove: "Prove an account",
    developers: "For developers (OpenAPI)",
    lost: "There is nothing at this address",
    lostWhy: "Check the link, or begin here:",
    privacy: "Privacy",
    licence: "MIT licence",
    source: "Source code",
  },
  // cspell:disable
  es: {
    title: "Servicio de identidad",
    heading: "Demuestra que eres una sola persona",
    what: "Este servicio dice a las aplicaciones que un monedero es de una persona real, y nunca de quién. Demuestras que una cuenta es tuya, por ejemplo de una red social. Lo que se guarda de ella lo ves antes, y puedes borrarlo allí cuando quieras.",
    prove: "Demostrar una cuenta",
    developers: "Para desarrolladores (OpenAPI)",
    lost: "No hay nada en esta dirección",
    lostWhy: "Revisa el enlace, o empieza aquí:",
    privacy: "Privacidad",
    licence: "Licencia MIT",
    source: "Código fuente",
  },
  // cspell:enable
};
