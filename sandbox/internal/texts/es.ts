import { html } from "../../../signer/pages/html.ts";
import type { SandboxTexts } from "./en.ts";

// cspell:disable
export const es: SandboxTexts = {
  title: (label) => `Iniciar sesión en ${label}`,
  madeUp: "sandbox para desarrollo",
  standsIn:
    "Esta página sustituye al inicio de sesión real. Los usuarios son inventados y no hay contraseñas.",
  asks: (app) => `La página de verificación en ${app} quiere leer:`,
  choose: "Elige un usuario de prueba",
  continueAs: (name) => `Entrar como ${name}`,
  raw: "Datos en bruto",
  missing: "sin valor",
  create: "Crear un usuario de prueba",
  accountId: "ID de la cuenta",
  replaces: "Si el ID ya existe, se sustituye esa cuenta.",
  name: "Nombre",
  continueAsCreated: "Entrar como este usuario",
  deny: "Denegar",
  problems: {
    pick: "Elige uno de los usuarios.",
    noId: "Escribe un ID de cuenta. Vale cualquier texto.",
    int: (trait) => `${trait}: escribe un número entero solo con cifras, por ejemplo 1200.`,
    bool: (trait) => `${trait}: elige sí o no.`,
  },
  endedTitle: "Este inicio de sesión ha terminado",
  ended: "Ha tardado demasiado o el sandbox se ha reiniciado. Continúa en la página de verificación.",
  answeredTitle: "Ya has respondido",
  answered:
    "Has elegido un usuario de prueba o has denegado el acceso. Continúa en la página de verificación.",
  goTo: (host) => `Ir a la página de verificación en ${host}`,
  sandbox: "Sandbox",
  frontTitle: "Inicio de sesión de prueba",
  front: [
    html`Este sandbox sustituye a los proveedores, como Microblog. Tiene usuarios de prueba y no hay contraseñas.`,
    html`El comando <code>npx hardhat identity dev</code> lo ejecuta en tu ordenador. No hace falta que lo abras tú: la página de verificación te trae aquí cuando verificas una cuenta.`,
  ],
  guide: "Más información en la guía",
  lostTitle: "Página no encontrada",
  lost: "La página de verificación te trae al sandbox cuando verificas una cuenta. Empieza en tu app o en la página de verificación.",
  refusedTitle: "El sandbox rechaza esta petición",
  refused: "La página que te ha enviado aquí ha cometido un error. Vuelve y empieza de nuevo.",
  forDevelopers: "Para sus desarrolladores:",
};
