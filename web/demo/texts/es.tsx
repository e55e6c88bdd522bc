import type { DemoTexts } from "./en.tsx";

export const es: DemoTexts = {
  where: "App de demostración",
  title: "Una persona, una sola vez",
  local: "Demostración local: aquí nada es real",
  about: (
    <p>
      Una app de ejemplo, como la que podría tener cualquier proyecto. Pide verificaciones al servicio y las
      envía a contratos de ejemplo. Lo que muestra junto a cada paso es lo que enviaría y recibiría tu propia
      app.
    </p>
  ),
  privacy: (
    <p>
      La demostración guarda en esta pestaña lo que has probado, y nada más. Habla con la cadena y con el
      servicio de esta máquina, y con nadie más.
    </p>
  ),
  loading: "Un momento…",
  tryAgain: "Intentar de nuevo",
  lead: "Una persona con muchos monederos puede vaciar un airdrop. Este contrato premia una sola vez a cada persona con más de 1000 seguidores. Alice lo intenta con dos monederos: mira cómo el contrato la detiene sin saber quién es.",
  released: "Al dejar esta página quedaba un bloque retenido. Ya se ha minado, y la cadena sigue su curso.",
  noConsumer: "No hay ningún contrato de ejemplo desplegado.",

  people: { alice: "Alice", bob: "Bob" },
  devices: {
    alicePhone: "El teléfono de Alice",
    aliceLaptop: "El portátil de Alice",
    bobPhone: "El teléfono de Bob",
  },
  states: {
    untried: "por hacer",
    running: "en curso",
    expected: "como se esperaba",
    otherwise: "inesperado",
  },
  story: "La historia",
  onward: {
    title: "Llévalo a tu propio proyecto",
    text: "Una sola orden añade un contrato, su prueba, su despliegue y un flujo de CI.",
    terminal: "En un proyecto de Hardhat",
    command: "npx hardhat identity init",
  },
  developers: {
    title: "Para desarrolladores",
    text: "Mira lo que se ha enviado. Prueba un bloque retenido, un voto, un lote, o tu propio monedero y contrato.",
    nothingSent: "Apúntate arriba, y aquí aparecerá cada mensaje y cada respuesta.",
  },
  more: "Más pruebas",
  afterwards: (title) => `Prueba antes «${title}».`,
  needsOther: (account) =>
    `Esto requiere además ${account}. La app te llevará a demostrarla cuando haga falta.`,
  accounts: {
    microblog: "una cuenta de Microblog",
    exchange: "una cuenta de Exchange",
    short_video: "una cuenta de Short video",
    photo_social: "una cuenta de Photo social",
  },
  tries: {
    first: {
      title: "Alice se apunta",
      text: "Tiene 1200 seguidores. Debería entrar.",
      action: "Apuntarse con el teléfono de Alice",
      should: "",
    },
    second: {
      title: "Alice se apunta otra vez",
      text: "Ya demostró la misma cuenta para este monedero. El contrato debería negarse.",
      action: "Apuntarse con el portátil de Alice",
      should: "El contrato no ha visto ningún nombre, ni cuenta, ni proveedor.",
    },
    other: {
      title: "Bob se apunta",
      text: "Ya ha demostrado su cuenta: 12 seguidores. El servicio debería negarse a firmar.",
      action: "Apuntarse con el teléfono de Bob",
      should: "No se ha enviado nada a la cadena, ni se ha pagado nada.",
    },
    held: {
      title: "Antes de que se mine",
      text: "Alice emite un pase de socia y el bloque queda retenido: su identidad ya consta como usada.",
      action: "Emitir y retener el bloque",
      should: "",
    },
    vote: {
      title: "Una persona, un voto",
      text: "Alice vota. Su cuenta tiene que haberse demostrado después de abrirse la votación.",
      action: "Votar que sí",
      should: "",
    },
    tooOld: {
      title: "Demostrada hace demasiado",
      text: "Se abre otra votación, y lo que Alice demostró antes ya no vale para ella.",
      action: "Abrir otra votación y votar",
      should: "Demuestra la cuenta de nuevo y el voto contará.",
    },
    batch: {
      title: "Todo o nada",
      text: "Alice ingresa en una caja: obtener fichas, permitir que la caja las tome, ingresar. Tres llamadas, un lote.",
      action: "Ingresar en un lote",
      should: "",
    },
  },
  reset: "Empezar de nuevo",
  resetWhat: "Despliega contratos nuevos y pasa a otros monederos.",
  resetDone: "Listo: los contratos y los monederos son nuevos.",

  waits: {
    signature: "Se pide al monedero que firme…",
    service: "El servicio mira la política del contrato y la cuenta…",
    transaction: "Se pide al monedero que envíe…",
    block: "Esperando el bloque…",
    interval: "El nodo mina a intervalos: esperando su próximo bloque…",
    held: "El bloque está retenido. Se mina cuando tú digas, o solo al cabo de un minuto.",
  },
  mine: "Minar el bloque",
  outcomes: {
    admitted: (person) => (person === undefined ? "Ya estás dentro." : `${person} está dentro.`),
    sameHash: "El mismo hash de identidad, la misma persona:",
    knows: "Todo lo que el contrato sabe de la persona:",
    notFound: "Este monedero aún no ha demostrado ninguna cuenta.",
    goProve: (person) =>
      `La app lleva a ${person} a una página para demostrar una y después continúa. Allí, entra como ${person}.`,
    goProveOwn: "La app lleva a la persona a una página para demostrar una y después continúa.",
    tooOld: "La cuenta se demostró hace demasiado para este contrato.",
    prove: "Demostrar una cuenta",
    proveAgain: "Demostrar la cuenta de nuevo",
    unmet: "La cuenta no cumple la condición.",
    unmetWhat: "El servicio no firma, así que no hay nada que enviar.",
    reverted: (error) => `El contrato se ha negado: ${error}`,
    meanings: {
      "AlreadyEnrolled()": "Esta persona ya se ha apuntado, con este monedero o con otro.",
      "AlreadyVoted()": "Esta persona ya ha votado, con este monedero o con otro.",
    },
    trouble: "No ha podido ser.",
    failed: (code) => (code === "" ? "Algo ha fallado." : `Rechazado: ${code}`),
    unexpected: "Este paso debía acabar de otra manera. Empieza de nuevo y sigue el orden.",
    back: "Has vuelto sin haber demostrado una cuenta.",
    backWhy: {
      cancelled: "Has vuelto antes de guardar ninguna. Apúntate de nuevo cuando quieras.",
      access_denied: "El proveedor dice que lo has rechazado. Apúntate de nuevo cuando quieras.",
    },
    backOther: (error) => `La página dice: ${error}. Apúntate de nuevo cuando quieras.`,
  },

  travelled: "Lo que se ha enviado",
  steps: {
    message: {
      title: "La app escribe un mensaje",
      text: "Nombra el monedero, la cadena y el contrato.",
    },
    signature: { title: "El monedero lo firma", text: "Aún no se envía nada a ninguna cadena." },
    verification: {
      title: "El servicio responde con una verificación",
      text: "Ha comparado la política del contrato con lo que sabe del monedero. La respuesta es todo lo que recibe la app.",
    },
    refusal: {
      title: (status) => `El servicio responde ${status}`,
      text: "No hay verificación, así que no se envía ninguna transacción. El cuerpo dice por qué.",
    },
    call: {
      title: (calls) => (calls === 1 ? "La app codifica la llamada" : `La app codifica ${calls} llamadas`),
      text: "La verificación va al punto de entrada del contrato.",
    },
    transaction: { title: "El monedero envía la transacción", text: "El nodo la ha aceptado." },
    batch: { title: "El monedero acepta el lote", text: "Sucede todo, o nada (wallet_sendCalls)." },
    pending: {
      title: "La identidad está usada, antes de estar en un bloque",
      text: "Una lectura en pending ya lo dice; en latest todavía no. Una app no tiene que esperar al bloque para decirlo.",
    },
    used: {
      title: "La identidad está usada",
      text: "El bloque se ha minado al momento, así que lo dicen tanto pending como latest.",
    },
    receipt: {
      title: "El contrato deja entrar a la persona",
      text: (block, gas) =>
        `Ha preguntado al registro y ha anotado la identidad, en el bloque ${block}, por ${gas} de gas.`,
    },
    revert: {
      title: "El contrato revierte",
      text: "El monedero ha probado antes la llamada, así que no cuesta nada.",
    },
  },
  pieces: {
    message: "Mensaje",
    signature: "Firma",
    request: "Petición",
    response: "Respuesta",
    decoded: "Llamada, descifrada",
    calldata: "Datos de la llamada",
    hash: "Hash de la transacción",
    batchId: "Lote",
    receipt: "Recibo",
    revertData: "Datos de la reversión",
    code: "En TypeScript",
  },
  copy: "Copiar",
  copyWhat: (what) => `Copiar: ${what}`,
  copied: "Copiado",
  documentation: "Documentación",

  policy: {
    summary: "Lo que exige el contrato",
    contract: "Contrato",
    provider: "Proveedor",
    conditions: "Condiciones",
    since: "Demostrada desde",
    block: (block) => `bloque ${block}`,
    fromChain: "Leído de la cadena: quien llama no puede saltarse ninguna condición.",
    unreadable: "No se ha podido leer la política del contrato.",
  },
  own: {
    title: "Con tu propio monedero o contrato",
    jump: (names) => `Apuntarse en tu propio contrato: ${names}`,
    text: "Cualquier monedero de este navegador, cualquiera de sus cuentas, cualquier contrato de aquí: lo que vería tu público.",
    connectFirst: "Conecta antes un monedero.",
    development: "Usar el monedero de desarrollo",
    developmentWhat:
      "El monedero de desarrollo tiene las cuentas de la cadena local y no pregunta nada, así que no hace falta ninguna extensión. Sus claves las conoce todo el mundo.",
    connect: (name) => `Conectar ${name}`,
    connected: (name) => `${name} está conectado.`,
    another: "Usar otro monedero",
    hold: "Retener el bloque, para ver la identidad en pending antes de que se mine",
    otherChain: (chainId, rpcUrl) => (
      <>
        Tu monedero está en otra red. {chainId} también es Base Sepolia: comprueba que la URL RPC es{" "}
        <code>{rpcUrl}</code>, o usa el monedero de desarrollo.
      </>
    ),
    changeNetwork: "Añadir esta cadena al monedero",
    purposes: {
      IncentiveProgram: "Una inscripción: entra quien cumpla la condición, una vez por persona.",
      MembershipPass: "Una emisión: una ficha para cada persona.",
      Ballot: "Una votación: un voto por persona, con una cuenta demostrada desde que se abrió.",
      VerifiedVault:
        "Un ingreso: tres llamadas (obtener fichas, permitir que la caja las tome, ingresar) van en un lote, todo o nada.",
    },
    actions: {
      IncentiveProgram: "Apuntarse",
      MembershipPass: "Emitir mi pase",
      Ballot: "Votar que sí",
      VerifiedVault: "Ingresar en un lote",
    },
    call: (entryPoint) => `Llamar a ${entryPoint}`,
    purpose: (entryPoint) => `Un contrato tuyo; su punto de entrada ${entryPoint} recibe una verificación.`,
  },
};
