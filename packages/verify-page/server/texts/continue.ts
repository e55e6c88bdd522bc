import type { Catalogue } from "@hardhat-identity/protocol/languages";

/** Texts of the page that a browser's prefetch gets, and people after too many sign-ins or while the service is busy. */
const en = {
  where: "Identity service",
  title: "Continue your sign-in",
  wait: "There were too many sign-ins in a minute. Wait a minute, then continue.",
  busy: "The service cannot answer right now. Wait a moment, then continue.",
  go: "Continue",
};

export const continueTexts: Catalogue<typeof en> = {
  en,
  // cspell:disable
  es: {
    where: "Servicio de identidad",
    title: "Sigue con tu inicio de sesión",
    wait: "Hubo demasiados inicios de sesión en un minuto. Espera un minuto y continúa.",
    busy: "El servicio no puede responder ahora mismo. Espera un momento y continúa.",
    go: "Continuar",
  },
};
