import type { SandboxTexts } from "./en.ts";

// cspell:disable
export const es: SandboxTexts = {
  title: (label) => `Iniciar sesión en ${label}`,
  madeUp: "sandbox para desarrollo",
  standsIn:
    "Esta página sustituye al inicio de sesión real. Los usuarios son inventados y no hay contraseñas.",
  asks: (app) => `${app} quiere leer:`,
  signInAs: "Entra como usuario de prueba",
  continueAs: (name) => `Continuar como ${name}`,
  raw: "Datos en bruto",
  words: {
    followers: "seguidores",
    verified: "verificada",
    verified_type: "tipo de verificación",
    exchange_membership_active: "suscripción activa",
    exchange_membership_billed: "suscripción pagada",
    followers_count: "seguidores",
    username: "nombre de usuario",
    follower_count: "seguidores",
    following_count: "cuentas seguidas",
    likes_count: "me gusta",
    video_count: "vídeos",
  },
  not: (words) => `${words}: no`,
  missing: "(falta)",
  create: "Crear un usuario de prueba",
  accountId: "Id de la cuenta",
  changes: "si el id ya existe, se modifica esa cuenta",
  name: "Nombre",
  continueAsCreated: "Continuar como este usuario",
  deny: "Denegar",
  problems: {
    pick: "Elige uno de los usuarios.",
    noId: "Introduce un id de cuenta. Vale cualquier texto.",
    type: (trait, type, value) => `${trait} debe ser de tipo ${type}, no ${value}.`,
  },
  endedTitle: "Este inicio de sesión ha terminado",
  ended: "Ha tardado demasiado o ya se había completado. Vuelve a la aplicación y empieza de nuevo.",
  sandbox: "Sandbox",
  lostTitle: "Aquí no hay ninguna página",
  lost: "La página de verificación te trae al sandbox cuando verificas una cuenta. Empieza en tu aplicación o en la página de verificación.",
  refusedTitle: "El sandbox rechaza esta petición",
  refused: (reason) =>
    `La aplicación que te ha enviado aquí ha cometido un error: ${reason}. Vuelve y avisa a sus desarrolladores.`,
};
