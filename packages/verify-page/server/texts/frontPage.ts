import type { Catalogue } from "@hardhat-identity/protocol/languages";

/** The texts of the service's front page. */
const en = {
  title: "Identity service",
  heading: "Verify your account",
  what: "Verify one of your accounts, such as a social media account.",
  promises: [
    "Apps count each account once, however many wallets its owner has.",
    "They see a code instead of your account.",
    "You see what will be stored first, and can delete it at any time.",
  ],
  prove: "Verify an account",
  developers: "For developers (OpenAPI)",
  lost: "Page not found",
  lostWhy: "Check the link, or start here:",
  privacy: "Privacy",
  licence: "MIT license",
  source: "Source code",
};

export const frontTexts: Catalogue<typeof en> = {
  en,
  // cspell:disable
  es: {
    title: "Servicio de identidad",
    heading: "Verifica tu cuenta",
    what: "Verifica una de tus cuentas, por ejemplo la de una red social.",
    promises: [
      "Las apps cuentan cada cuenta una sola vez, tenga los monederos que tenga su dueño.",
      "Ven un código en lugar de tu cuenta.",
      "Antes de guardar nada, ves qué se guardaría, y puedes borrarlo cuando quieras.",
    ],
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
