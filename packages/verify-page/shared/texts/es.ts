import { traitWords } from "../../content/traitWords.ts";
import type { SharedTexts } from "./en.ts";

export const es: SharedTexts = {
  language: "Idioma",
  about: "Qué es esta página",
  privacy: "Privacidad",
  licence: "Licencia MIT",
  source: "Código fuente",
  account: "Cuenta del monedero",
  accountNumber: (number) => `Cuenta ${number}`,
  developmentOnly: "solo para desarrollo",
  developmentWallet: "Monedero de desarrollo",
  unnamedWallet: "El monedero de este navegador",
  lookAtWallet: {
    connect: "Mira tu monedero: te pregunta si quieres conectarte.",
    sign: "Mira tu monedero: te pide tu firma.",
    network: "Mira tu monedero: te pregunta si quieres cambiar de red.",
  },
  troubles: {
    refused: "Lo has rechazado en tu monedero. No se ha hecho nada y puedes intentarlo de nuevo.",
    asksAlready: "Tu monedero sigue esperando una respuesta. Ábrelo, responde e inténtalo de nuevo.",
    noAccounts:
      "Tu monedero no nos ha mostrado ninguna cuenta. Elige una en el monedero e inténtalo de nuevo.",
    wallet:
      "Tu monedero no ha respondido como esperábamos. Ábrelo, comprueba si está bloqueado e inténtalo de nuevo.",
    node: "La cadena local no responde. Si se ha parado, arráncala de nuevo e inténtalo otra vez.",
    unreachable: "No se puede conectar con el servicio. Comprueba tu conexión e inténtalo de nuevo.",
    garbled:
      "Hemos recibido una respuesta que no esperábamos. Quizá el servicio se esté reiniciando. Espera un momento e inténtalo de nuevo.",
    tooOften: "Demasiados intentos. Espera un minuto e inténtalo de nuevo.",
    chain:
      "El servicio no puede conectar ahora con la cadena de bloques. Espera un momento e inténtalo de nuevo.",
    store: "El servicio no puede acceder ahora a su base de datos. Espera un momento e inténtalo de nuevo.",
    busy: "El servicio está saturado. Espera un momento e inténtalo de nuevo.",
    internal: "Algo ha fallado en el servicio. Inténtalo de nuevo.",
    mismatch: "Esta página no está actualizada. Cárgala de nuevo.",
    page: "Algo ha fallado en esta página. Cárgala de nuevo para seguir donde estabas.",
  },
  last: {
    title: "Esta página ha fallado",
    what: "El error es nuestro, no tuyo. Carga la página de nuevo para seguir donde estabas.",
    report: "Si vuelve a pasar, envíanos esto:",
    reload: "Cargar la página de nuevo",
  },
  ...traitWords.es,
  today: (time) => `hoy, ${time}`,
  yesterday: (time) => `ayer, ${time}`,
  onDay: (day, time) => `el ${day}, ${time}`,
};
