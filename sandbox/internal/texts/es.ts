import type { SandboxTexts } from "./en.ts";

// cspell:disable
export const es: SandboxTexts = {
  title: (label) => `Sandbox de ${label}: elige una cuenta`,
  madeUp: "inventado, para desarrollo",
  who: (label) => `${label}: ¿quién eres?`,
  standsIn:
    "Esta página hace las veces del inicio de sesión del proveedor real. Nadie aquí es real, y no se pide contraseña.",
  known: "Entrar como alguien conocido",
  signIn: "Entrar",
  invent: "O inventar a alguien",
  accountId: "Id de la cuenta",
  changes: "uno conocido cambia esa cuenta",
  name: "Nombre",
  id: (accountId) => `id ${accountId}`,
  missing: "(falta)",
  signInInvented: "Entrar como esta persona",
  refuse: "Rechazar y volver",
  problems: {
    pick: "Elige una de las cuentas.",
    noId: "El id de la cuenta está vacío; vale cualquier texto.",
    type: (trait, type, value) => `${trait} tiene que ser de tipo ${type}, y no ${value}.`,
  },
  endedTitle: "Este inicio de sesión ha terminado",
  ended: "Tardó demasiado, o ya se había completado. Vuelve a la aplicación y empieza de nuevo.",
  refusedTitle: "El sandbox rechaza esta petición",
  refused: (reason) =>
    `La aplicación que te ha enviado ha cometido un error: ${reason}. Vuelve, y díselo a quienes la hacen.`,
};
