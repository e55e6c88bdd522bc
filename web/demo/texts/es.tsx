import type { DemoTexts } from "./en.tsx";

export const es: DemoTexts = {
  where: "Demo de hardhat-identity",
  title: "Una persona, una sola vez",
  local: "Demostración local: aquí nada es real",
  about: (
    <p>
      Esta es una app de ejemplo. Pide verificaciones al servicio de firma y las envía a contratos de ejemplo.
      Cada paso muestra lo que enviaría y recibiría tu propia app.
    </p>
  ),
  privacy: (
    <p>
      La demostración guarda tus pasos en esta pestaña, y en este navegador qué monederos se han usado. Se
      comunica con la cadena y el servicio de este equipo, y con nadie más.
    </p>
  ),
  loading: "Un momento…",
  tryAgain: "Intentar de nuevo",
  lead: "Una persona con muchos monederos puede vaciar un airdrop. Este paga una sola vez a cada persona, y solo a quien tiene más de 1000 seguidores. Alice lo intenta con dos monederos. Mira cómo el contrato rechaza el segundo sin saber quién es.",
  picture: "Alice tiene dos monederos. El contrato admite el primero y rechaza el segundo.",
  released: "Saliste de esta página con un bloque retenido. Ya se ha minado.",
  noConsumer: "No hay ningún contrato de ejemplo desplegado.",

  people: { alice: "Alice", bob: "Bob" },
  devices: {
    alicePhone: "Móvil de Alice",
    aliceLaptop: "Portátil de Alice",
    bobPhone: "Móvil de Bob",
  },
  states: {
    untried: "por hacer",
    running: "en curso",
    accepted: "aceptado",
    reverted: "rechazado por el contrato",
    unsigned: "rechazado por el servicio",
    otherwise: "inesperado",
  },
  story: "La historia",
  told: "Esa es toda la historia: Alice ha entrado una sola vez, y su segundo monedero y Bob han sido rechazados.",
  onward: {
    title: "Llévalo a tu propio proyecto",
    text: "Para desarrolladores de Solidity: un solo comando añade un contrato, su prueba, su despliegue y la configuración de CI.",
    terminal: "En un proyecto de Hardhat",
    command: "npx hardhat identity init",
    own: {
      title: "Sigue con tu propio contrato",
      text: "Está desplegado en esta cadena. Reclama en él como lo harían tus usuarios y mira qué enviaría tu app.",
      terminal: "En tu proyecto, comprueba qué exige",
      command: "npx hardhat identity policy",
    },
  },
  developers: {
    title: "Para desarrolladores",
    text: "Mira lo que se ha enviado. Prueba un bloque retenido, un voto, un lote, o tu propio monedero y contrato.",
    nothingSent: "Ejecuta un paso de la historia y aquí aparecerá cada mensaje y cada respuesta.",
  },
  more: "Más pruebas",
  afterwards: (title) => `Primero prueba «${title}».`,
  needsOther: (account) => `Hace falta ${account}, que verificas por el camino.`,
  accounts: {
    microblog: "una cuenta de Microblog",
    exchange: "una cuenta de Exchange",
    short_video: "una cuenta de Short video",
    photo_social: "una cuenta de Photo social",
  },
  tries: {
    first: {
      title: "Alice reclama",
      text: "Alice tiene 1200 seguidores en Microblog, que aquí hace las veces de X. Entra allí como Alice. El contrato debería aceptarla.",
      action: "Reclamar con su móvil",
      admitted: "Alice está dentro.",
      should: "",
    },
    second: {
      title: "Alice reclama otra vez",
      text: "El monedero de su portátil ya está vinculado a la misma cuenta. El contrato debería rechazarlo.",
      action: "Reclamar con su portátil",
      admitted: "Alice está dentro.",
      should: (
        <>
          <b>El mismo hash de identidad, la misma persona.</b> El contrato no ha visto ni su nombre ni su
          cuenta.
        </>
      ),
    },
    other: {
      title: "Bob reclama",
      text: "La cuenta de Bob ya está vinculada y solo tiene 12 seguidores. El servicio debería negarse a firmar.",
      action: "Reclamar como Bob",
      admitted: "Bob está dentro.",
      should:
        "Bob tiene 12 seguidores, y el contrato pide más de 1000. No se ha enviado nada a la cadena, así que no se ha pagado gas.",
    },
    held: {
      title: "Antes de que se mine",
      text: "Alice emite un pase de miembro. El bloque queda retenido, pero su identidad ya consta como usada.",
      action: "Emitir y retener el bloque",
      admitted: "Alice tiene su pase.",
      should: "",
    },
    vote: {
      title: "Una persona, un voto",
      text: "Alice vota. Tiene que haber verificado su cuenta después de que se abriera la votación.",
      action: "Votar sí",
      admitted: "Alice ha votado.",
      should: "",
    },
    tooOld: {
      title: "Verificada hace demasiado",
      text: "Se abre otra votación. Alice verificó su cuenta antes, así que debe volver a hacerlo.",
      action: "Votar en otra votación",
      admitted: "Alice ha votado.",
      should: "Vuelve a verificar la cuenta y el voto contará.",
    },
    batch: {
      title: "Todo o nada",
      text: "Alice deposita en una bóveda: emitir tokens, autorizar a la bóveda, depositar. Tres llamadas, un lote.",
      action: "Depositar en un lote",
      admitted: "Alice ha depositado.",
      should: "",
    },
  },
  reset: "Empezar de nuevo",
  resetWhat: "Despliega contratos nuevos y usa monederos nuevos.",
  resetDone: "Listo: los contratos y los monederos son nuevos.",
  resetUsed:
    "Listo: los contratos son nuevos. No quedan monederos sin usar, así que la cuenta de Alice puede estar ya verificada. Reinicia el entorno para tener monederos nuevos.",

  waits: {
    signature: "Esperando a que el monedero firme…",
    service: "El servicio comprueba la política del contrato y la cuenta…",
    transaction: "Esperando a que el monedero envíe…",
    block: "Esperando el bloque…",
    interval: "El nodo mina a intervalos. Esperando el próximo bloque…",
    held: "El bloque está retenido. Mínalo cuando quieras o espera un minuto.",
  },
  mine: "Minar el bloque",
  outcomes: {
    admitted: "El contrato ha aceptado la verificación.",
    knows: "Todo lo que el contrato sabe de la persona:",
    notFound: (account = "ninguna cuenta") => `Este monedero aún no ha verificado ${account}.`,
    goProve: (person) => `Entra como ${person}. Después, la app sigue sola.`,
    goProveOwn: "Tu app llevaría a la persona a la página de verificación y después seguiría sola.",
    tooOld: "La cuenta se verificó hace demasiado tiempo para este contrato.",
    prove: "Verificar una cuenta",
    proveAgain: "Volver a verificar la cuenta",
    expected: "como se esperaba",
    unmet: "Esa cuenta no cumple la condición, así que el servicio no ha firmado.",
    unmetExpected: "El servicio no ha firmado.",
    reverted: "El contrato ha rechazado la llamada:",
    revertedExpected: "El contrato ha rechazado su segundo monedero.",
    meanings: {
      "AlreadyEnrolled()": "Esta persona ya ha reclamado, con este monedero o con otro.",
      "AlreadyVoted()": "Esta persona ya ha votado, con este monedero o con otro.",
    },
    trouble: "No ha funcionado.",
    troubles: {
      unreachable: "El servicio no responde. Si se ha parado, arráncalo de nuevo e inténtalo otra vez.",
    },
    failed: (code) => (code === "" ? "Algo ha fallado." : `Rechazado: ${code}`),
    unexpected: "Este paso no ha salido como debía.",
    unexpectedCure: "Empieza de nuevo y entra como Alice.",
    back: "Has vuelto antes de terminar.",
    backWhy: {
      cancelled: "Saliste antes de que se guardara una cuenta. Vuelve a reclamar cuando quieras.",
      access_denied: "Denegaste el acceso en el proveedor. Vuelve a reclamar cuando quieras.",
    },
    backOther: (error) => `La página ha respondido: ${error}. Vuelve a reclamar cuando quieras.`,
  },

  travelled: "Lo que se ha enviado",
  steps: {
    message: {
      title: "La app escribe un mensaje",
      text: "Indica el monedero, la cadena y el contrato.",
    },
    signature: { title: "El monedero lo firma", text: "Aún no se envía nada a ninguna cadena." },
    verification: {
      title: "El servicio responde con una verificación",
      text: "Ha comparado la política del contrato con la cuenta del monedero. La app no recibe nada más que esta respuesta.",
    },
    refusal: {
      title: (status) => `El servicio responde ${status}`,
      text: "No hay verificación, así que no se envía ninguna transacción. El cuerpo dice por qué. Solo en un nodo local indica las cifras de la cuenta.",
    },
    call: {
      title: (calls) => (calls === 1 ? "La app codifica la llamada" : `La app codifica ${calls} llamadas`),
      text: "La verificación va al punto de entrada del contrato.",
    },
    transaction: { title: "El monedero envía la transacción", text: "El nodo la ha aceptado." },
    batch: {
      title: "El monedero acepta el lote",
      text: "Se ejecutan todas las llamadas o ninguna (wallet_sendCalls).",
    },
    pending: {
      title: "La identidad consta como usada antes de minar el bloque",
      text: "Una lectura en pending ya lo dice; en latest, todavía no. Una app puede avisar a la persona sin esperar al bloque.",
    },
    used: {
      title: "La identidad consta como usada",
      text: "El bloque se ha minado al momento, así que pending y latest coinciden.",
    },
    receipt: {
      title: "El contrato deja entrar a la persona",
      text: (block, gas) =>
        `Ha consultado el registro y ha anotado la identidad en el bloque ${block}, por ${gas} de gas.`,
    },
    revert: {
      title: "El contrato revierte",
      text: "El monedero ha simulado antes la llamada, así que no cuesta nada.",
    },
  },
  pieces: {
    message: "Mensaje",
    signature: "Firma",
    request: "Petición",
    response: "Respuesta",
    decoded: "Llamada decodificada",
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
    since: "Verificada desde",
    block: (block) => `bloque ${block}`,
    fromChain: "Se lee de la cadena, así que nadie puede saltarse una condición.",
    unreadable: "No se ha podido leer la política del contrato.",
  },
  own: {
    title: "Con tu propio monedero o contrato",
    jump: (names) => `Reclamar en tu propio contrato: ${names}`,
    text: "Cualquier monedero de este navegador, cualquiera de sus cuentas y cualquier contrato de aquí: esto es lo que verían tus usuarios.",
    connectFirst: "Primero conecta un monedero.",
    development: "Usar el de desarrollo",
    developmentWhat:
      "El monedero de desarrollo tiene las cuentas de la cadena local y nunca pide confirmación. No hace falta ninguna extensión. Sus claves son públicas.",
    connect: (name) => `Conectar ${name}`,
    connected: (name) => `${name} está conectado.`,
    another: "Usar otro monedero",
    hold: "Retener el bloque para ver la identidad en pending antes de que se mine",
    otherChain: (chainId, rpcUrl) => (
      <>
        Tu monedero está en otra red. {chainId} también es Base Sepolia: comprueba que la URL RPC es{" "}
        <code>{rpcUrl}</code>, o usa el monedero de desarrollo.
      </>
    ),
    changeNetwork: "Añadir esta cadena al monedero",
    purposes: {
      IncentiveProgram: "Un airdrop: cada persona que cumple la condición puede reclamar una vez.",
      MembershipPass: "Una emisión: un token para cada persona.",
      Ballot: "Una votación: un voto para cada persona que haya verificado una cuenta desde que se abrió.",
      VerifiedVault:
        "Un depósito: tres llamadas (emitir tokens, autorizar a la bóveda, depositar) en un lote, todo o nada.",
    },
    actions: {
      IncentiveProgram: "Reclamar con este monedero",
      MembershipPass: "Emitir mi pase",
      Ballot: "Votar sí",
      VerifiedVault: "Depositar en un lote",
    },
    call: (entryPoint) => `Llamar a ${entryPoint}`,
    purpose: (entryPoint) => `Tu propio contrato. Su punto de entrada ${entryPoint} recibe una verificación.`,
  },
};
