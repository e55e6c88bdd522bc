import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import type { Step } from "../claim.ts";
import type { State } from "../state.ts";
import type { DemoTexts } from "./en.tsx";

const { troubles } = sharedTexts.es;
const command = [<code>npm start</code>, " o, en un proyecto, ", <code>npx hardhat identity dev</code>];
const write = new Intl.NumberFormat("es").format;

export const es: DemoTexts = {
  where: "hardhat-identity demo",
  title: "Cada persona cuenta una sola vez",
  local: "Demo local: nada de esto es real",
  about:
    "Esta es una app de ejemplo. Pide verificaciones al servicio que firma y las envía a contratos de ejemplo. Cada paso muestra lo que tu propia app enviaría y recibiría.",
  privacy:
    "Esta pestaña guarda tus pasos, y este navegador recuerda qué monederos se han usado. La demo solo se conecta a la cadena y al servicio de esta máquina.",
  loading: "Un momento…",
  tryAgain: "Intentar de nuevo",
  play: "Ver la historia",
  notForwarded: {
    title: "La demo no puede conectar con el resto",
    what: "Tu navegador llega a esta página, pero no a",
    restart: [". Si se ha parado, arráncalo de nuevo: ", command, "."],
    elsewhere: "La demo se ejecuta en otra máquina",
    command: "En tu propia máquina",
    forward: (demoUrl) =>
      `Reenvía cada uno de sus puertos al mismo puerto de la tuya y después abre ${demoUrl}.`,
  },
  lead: "Alice reclama desde dos monederos. Mira cómo el contrato rechaza el segundo. Ve un código, no su cuenta.",
  picture: (phone: State, laptop: State) =>
    `Alice tiene dos monederos.${phone === "accepted" ? " El contrato deja entrar al primero." : ""}${laptop === "reverted" ? " Rechaza el segundo." : ""}`,
  ledger: {
    title: "Lo que sabe el contrato",
    people: (count) => (count === 1 ? "1 persona" : `${count} personas`),
    nobody: "Nadie ha reclamado aún",
    claimed: "reclamó",
    again: "La misma persona: rechazada",
    unknown: "—",
    unconnected: "Sin conexión",
    nothingElse: "Ni nombre ni cuenta",
  },

  people: { alice: "Alice", bob: "Bob" },
  devices: { phone: "Móvil de Alice", laptop: "Portátil de Alice", bob: "Móvil de Bob" },
  told: "Esta es toda la historia: Alice cobró una vez. Su segundo monedero y Bob fueron rechazados.",
  onward: {
    title: "Llévalo a tu propio proyecto",
    text: "La guía instala el plugin. Después, un comando añade un contrato, su test, su despliegue y un flujo de CI.",
    guide: "Empezar",
    terminal: "Una vez instalado, en tu proyecto",
    command: "npx hardhat identity init",
    own: {
      title: "Continúa con tu propio contrato",
      text: "Está desplegado en esta cadena. Reclama allí como lo harían tus usuarios y mira lo que tu app enviaría.",
      terminal: "En tu proyecto, comprueba qué exige",
      command: "npx hardhat identity policy",
    },
  },
  developers: {
    title: "Para desarrolladores",
    text: "Mira lo que se envió. Reclama con tu propio monedero, en otro contrato o en un lote.",
    nothingSent: "Ejecuta un paso de la historia para ver aquí cada mensaje y cada respuesta.",
  },
  tabs: {
    untried: "Sin terminar",
    running: "En curso",
    accepted: "Pagado",
    reverted: "Rechazado por el contrato",
    unsigned: "Rechazado por el servicio",
    otherwise: "No era lo esperado",
  },
  afterwards: (step) => `Ejecuta primero el paso ${step}.`,
  tries: {
    phone: {
      title: "Alice reclama",
      text: "El contrato paga a quien tenga más de 1000 seguidores en Microblog, que aquí hace de X. Continúa allí como Alice.",
      past: "Tiene 1200 seguidores en Microblog, y el contrato pide más de 1000.",
      action: "Reclamar con el móvil de Alice",
      ended: "Pagados 100 tokens de prueba",
      admitted: "Alice ha recibido 100 tokens de prueba.",
      should: "",
    },
    laptop: {
      title: "Alice reclama otra vez",
      text: "El monedero de su portátil ya está verificado con la misma cuenta. El contrato debería rechazarlo.",
      past: "El monedero de su portátil tiene la misma cuenta y, por tanto, el mismo hash de identidad.",
      action: "Reclamar con el portátil de Alice",
      ended: "Rechazado por el contrato",
      admitted: "Alice ha recibido 100 tokens de prueba.",
      should: (
        <>
          <b>El mismo hash de identidad, la misma persona.</b> El contrato no ha visto ni su nombre ni su
          cuenta.
        </>
      ),
    },
    bob: {
      title: "Bob reclama",
      text: "La cuenta de Bob ya está verificada y solo tiene 12 seguidores. El servicio debería negarse a firmar.",
      past: "Tiene muy pocos seguidores: 12.",
      action: "Reclamar con el móvil de Bob",
      ended: "Rechazado por el servicio",
      admitted: "Bob ha entrado.",
      should:
        "Bob tiene 12 seguidores, y el contrato pide más de 1000. No se envió nada, así que no se pagó gas.",
    },
  },
  reset: "Empezar de nuevo",
  resetDone: "Contratos y monederos nuevos.",
  used: <>Ya se han usado todos los monederos de prueba. Detén la demo y arráncala de nuevo: {command}.</>,

  waits: {
    button: "Reclamando…",
    signature: "Esperando a que el monedero firme…",
    transaction: "Esperando a que el monedero envíe…",
    service: "El servicio comprueba la cuenta…",
    block: "Esperando el bloque…",
  },
  outcomes: {
    admitted: "El contrato ha aceptado la verificación.",
    knows: "En lugar de la cuenta, el contrato ve:",
    notFound: "Este monedero aún no tiene ninguna cuenta verificada.",
    goProve: (person) => `Continúa como ${person}. La app hace el resto.`,
    goProveOwn: "Tu app llevaría a su usuario a la página de verificación y seguiría cuando volviera.",
    tooOld: "La cuenta se verificó hace demasiado tiempo para este contrato.",
    prove: "Verificar tu cuenta",
    proveAgain: "Verificar la cuenta otra vez",
    unmet: "Esa cuenta no cumple la condición, así que el servicio no ha firmado.",
    unmetStory: "Esa no era Alice: esta cuenta tiene muy pocos seguidores.",
    unmetExpected: "El servicio no ha firmado: tiene muy pocos seguidores.",
    reverted: "El contrato lo ha rechazado:",
    revertedExpected: "El contrato ha rechazado su segundo monedero.",
    usedBefore: "esta persona ya ha reclamado aquí, con este monedero o con otro.",
    trouble: "No ha funcionado.",
    expected: "como se esperaba",
    troubles: {
      ...troubles,
      unreachable: "El servicio no responde. Arranca la demo de nuevo e inténtalo otra vez.",
    },
    elsewhere: (chainId, rpcUrl) => (
      <>
        Tu monedero está en otra red. Esta cadena y Base Sepolia comparten el id de cadena {chainId}. En tu
        monedero, pon <code>{rpcUrl}</code> como URL de RPC de la red, o usa el monedero de desarrollo.
      </>
    ),
    failed: (code) => (code === "" ? "Algo ha fallado." : `Ha fallado: ${code}`),
    knownBefore: "Alice ya ha reclamado en este contrato. Empieza de nuevo para tener un contrato nuevo.",
    unexpected: "Empieza de nuevo y continúa como Alice.",
    back: "Has vuelto antes de terminar.",
    backWhy: {
      cancelled: "Te fuiste antes de guardar una cuenta. Reclama otra vez cuando quieras.",
      access_denied: "Has denegado el acceso en el proveedor. Reclama otra vez cuando quieras.",
      provider_unavailable: "El proveedor no ha dejado leer la cuenta. Reclama otra vez cuando quieras.",
    },
    backOther: (error) => `La página ha comunicado: ${error}. Reclama otra vez cuando quieras.`,
  },

  story: "La historia",
  travelled: "Lo que se envió",
  steps: {
    message: () => ["La app escribe un mensaje", "Nombra el monedero, la cadena y el contrato."],
    signature: () => ["El monedero lo firma", "Aún no se envía nada a ninguna cadena."],
    verification: () => ["El servicio responde con una verificación", "Es todo lo que recibe la app."],
    refusal: () => [
      "El servicio se niega",
      "No se envía ninguna transacción. El cuerpo dice por qué; los números de la cuenta solo aparecen en nodos locales.",
    ],
    call: ({ calls = 1 }: Step) => [
      calls === 1 ? "La app codifica la llamada" : `La app codifica ${calls} llamadas`,
      "La verificación va al punto de entrada del contrato.",
    ],
    transaction: () => ["El monedero envía la transacción", "El nodo la ha aceptado."],
    batch: () => [
      "El monedero acepta el lote",
      "Se ejecutan todas las llamadas o ninguna (wallet_sendCalls).",
    ],
    receipt: ({ block = 0, gasUsed = 0 }: Step) => [
      "El contrato deja entrar a la persona",
      `Anotó la identidad en el bloque ${write(block)} y gastó ${write(gasUsed)} de gas.`,
    ],
    revert: () => [
      "El contrato revierte la llamada",
      "El monedero simuló antes la llamada, así que no cuesta nada.",
    ],
  },
  pieces: {
    message: "Mensaje",
    signature: "Firma",
    request: "Petición",
    response: "Respuesta",
    decoded: "Llamada, decodificada",
    calldata: "Datos de la llamada",
    hash: "Hash de la transacción",
    batchId: "Lote",
    receipt: "Recibo",
    revertData: "Datos del rechazo",
  },
  inTypeScript: "Cómo hacerlo en TypeScript",
  copy: "Copiar",
  copied: "Copiado",
  copyWhat: (what) => `Copiar: ${what}`,
  copyByHand: "Este navegador no deja copiar a la página. Selecciona el texto y cópialo.",
  milliseconds: (ms) => `${ms} ms`,

  own: {
    title: "Con tu propio monedero o contrato",
    jump: (names) => `Reclamar en tu propio contrato: ${names}`,
    text: "Usa cualquier monedero de este navegador, cualquiera de sus cuentas y cualquier contrato de aquí, y mira lo que verían tus usuarios.",
    connectFirst: "Conecta primero un monedero.",
    development: "Usar el monedero de desarrollo",
    developmentWhat:
      "El monedero de desarrollo tiene las cuentas de la cadena local y nunca pide confirmación. No necesitas ninguna extensión. Sus claves son públicas.",
    connect: (name) => `Conectar ${name}`,
    connected: (name) => `${name}: conectado.`,
    another: "Usar otro monedero",
    contract: "Contrato",
    examples: {
      Airdrop: [
        "Un reparto: cada cuenta que cumple la condición cobra una vez.",
        "Reclamar con este monedero",
      ],
      MembershipPass: ["Un pase: uno por cada cuenta.", "Emitir mi pase"],
      Ballot: ["Una votación: un voto por cada cuenta verificada desde que se abrió.", "Votar que sí"],
      VerifiedVault: [
        "Un depósito: tres llamadas (emitir tokens, autorizar y depositar) van en un lote, todas o ninguna.",
        "Depositar en un lote",
      ],
    },
    policy: "Pide:",
    operators: {
      eq: (value) => value,
      gt: (value) => `más de ${value}`,
      gte: (value) => `al menos ${value}`,
      lt: (value) => `menos de ${value}`,
      lte: (value) => `como mucho ${value}`,
    },
    call: (entryPoint) => `Llamar a ${entryPoint}`,
    purpose: (entryPoint) => `Tu propio contrato. Su punto de entrada ${entryPoint} recibe una verificación.`,
  },
};
