import type { Catalogue } from "@hardhat-identity/protocol/languages";

/** Texts of the page that a browser's prefetch gets, and people after too many sign-ins. */
const en = {
  where: "Identity service",
  title: "Continue your sign-in",
  wait: "There were too many sign-ins in a minute. Wait a minute, then continue.",
  go: "Continue",
};

export const continueTexts: Catalogue<typeof en> = {
  en,
  // cspell:disable
  es: {
    where: "Servicio de identidad",
    title: "Sigue con tu inicio de sesión",
    wait: "Hubo demasiados inicios de sesión en un minuto. Espera un minuto y continúa.",
    go: "Continuar",
  },
};
