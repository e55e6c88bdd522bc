import type { SandboxTexts } from "./en.ts";

// cspell:disable
export const es: SandboxTexts = {
  title: (label) => `Iniciar sesión en ${label}`,
  madeUp: "sandbox para desarrollo",
  standsIn:
    "Esta página sustituye al inicio de sesión real. Los usuarios son inventados y no hay contraseñas.",
  asks: (app) => `La página de verificación en ${app} quiere leer:`,
  choose: "Elige un usuario de prueba",
  continueAs: (name) => `Continuar como ${name}`,
  raw: "Datos en bruto",
  missing: "(falta)",
  create: "Crear un usuario de prueba",
  accountId: "Id de la cuenta",
  replaces: "Si el id ya existe, se sustituye esa cuenta.",
  name: "Nombre",
  continueAsCreated: "Continuar como este usuario",
  deny: "Denegar",
  problems: {
    pick: "Elige uno de los usuarios.",
    noId: "Introduce un id de cuenta. Vale cualquier texto.",
    int: (trait) => `${trait}: escribe un número entero solo con cifras, por ejemplo 1200.`,
    bool: (trait) => `${trait}: elige true o false.`,
  },
  endedTitle: "Este inicio de sesión ha terminado",
  ended: "Ha tardado demasiado o ya se había completado. Vuelve a la aplicación y empieza de nuevo.",
  goTo: (app: string) => `Ir a ${app}`,
  sandbox: "Sandbox",
  lostTitle: "Aquí no hay ninguna página",
  lost: "La página de verificación te trae al sandbox cuando verificas una cuenta. Empieza en tu aplicación o en la página de verificación.",
  refusedTitle: "El sandbox rechaza esta petición",
  refused: (reason) =>
    `La aplicación que te ha enviado aquí ha cometido un error: ${reason}. Vuelve y avisa a sus desarrolladores.`,
};
