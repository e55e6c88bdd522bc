import type { VerifyTexts } from "./en.tsx";

const troubleThere = (label: string) =>
  `${label} tiene problemas en este momento. Espera un poco e inténtalo de nuevo.`;

export const es: VerifyTexts = {
  where: "Servicio de identidad",
  about: (
    <p>
      Las apps usan esta página para contar cada cuenta una sola vez, tenga los monederos que tenga su dueño.
      Verificas una de tus cuentas, por ejemplo la de una red social. Cada app recibe un código propio para ti
      en lugar de tu cuenta.
    </p>
  ),
  privacy: (
    <p>
      Guardamos lo que aceptas en la página «¿Guardar esta cuenta?»: los datos que aparecen allí, cuándo
      verificaste la cuenta y un código en lugar de su identificador. Todo está cifrado, y puedes borrarlo
      aquí cuando quieras. Esta página usa cookies que caducan a los 30 minutos, para recordar tu monedero. No
      carga nada de otros sitios.
    </p>
  ),
  operatorsPrivacy: "Aviso de privacidad del operador de este servicio",
  loading: "Un momento…",
  tryAgain: "Intentar de nuevo",
  goBackTo: (app) => `Volver a ${app}`,

  purpose: {
    anApp: "Una app",
    unlisted: "No conocemos este sitio. Comprueba su dirección antes de continuar.",
    accountAt: (labels) => (labels === "" ? "una cuenta" : `tu cuenta de ${labels}`),
    asks: (app, account) => (
      <>
        <b>{app}</b> pide {account}
      </>
    ),
    forWallet: (wallet) => (
      <>
        para el monedero{" "}
        <b class="nowrap" translate={false}>
          {wallet}
        </b>
      </>
    ),
  },
  steps: {
    label: "Pasos",
    names: ["Monedero", "Cuenta", "Revisar", "Volver"],
  },

  connect: {
    title: "Conecta un monedero",
    why: "Verifica una de tus cuentas, por ejemplo la de una red social. Así las apps pueden contarte una sola vez. Ven un código en lugar de tu cuenta.",
    choose: "Elige el monedero que usas con la app.",
    visit: "También puedes ver y borrar las cuentas que ya verificaste.",
    chooseOwn: "Elige tu monedero.",
    chooseAsked: "Elige el monedero que pide la app.",
    connecting: "Al conectarlo vemos su dirección. No cuesta nada.",
  },
  noWallet: {
    title: "Necesitas un monedero",
    what: "Un monedero es una app que guarda tus claves y firma por ti. A menudo es una extensión del navegador. En este navegador no hemos encontrado ninguno.",
    goBack: "Vuelve a tu otro navegador",
    install: "Si acabas de instalar uno, vuelve a buscar.",
    find: "Encontrar un monedero",
    lookAgain: "Volver a buscar",
    onPhone: "¿Tienes un monedero en este móvil? Abre esta página en él:",
    openIn: (name) => `Abrir en ${name}`,
    elsewhere: "En otro dispositivo",
    scan: "¿Tienes el monedero en otro dispositivo? Escanea allí este código, a ser posible con el propio monedero. O copia el enlace.",
    code: "Código QR con el enlace a esta página",
    copy: "Copiar el enlace",
    copied: "Enlace copiado.",
    copyByHand: "Copia el enlace de aquí:",
    notTheSame: "Después continúas en ese dispositivo. La app encuentra la cuenta por tu monedero.",
  },

  address: { yours: "Tu monedero:", copy: "Copiar dirección", copied: "Copiada." },
  signIn: {
    title: "Entra con tu monedero",
    what: (host) => (
      <>
        Firmas un mensaje corto de <b>{host}</b> con tu monedero. La firma demuestra que el monedero es tuyo.
        No mueve dinero, no autoriza ningún gasto y no cuesta nada.
      </>
    ),
    sign: "Entrar",
    another: "Usar otro monedero",
    preparing: "Preparando el mensaje que vas a firmar…",
    checking: "Comprobando tu firma en la cadena…",
    wrongSignature: (wallet) =>
      `Esa firma no es de ${wallet}. Comprueba qué cuenta y qué red usa tu monedero e inténtalo de nuevo.`,
    messageEnded: "Ese mensaje ya se usó o tiene más de diez minutos. Inténtalo de nuevo para recibir otro.",
    noCookies: (host) =>
      `Esta página necesita cookies, y tu navegador no guarda ninguna de ${host}. Permítelas en los ajustes del navegador o usa otro. Después, carga la página otra vez.`,
    switched: "La cuenta de tu monedero ha cambiado. Entra otra vez con la que se muestra ahora.",
    disconnected: "Tu monedero se ha desconectado de esta página. Elígelo otra vez o elige otro.",
  },
  network: {
    local: "la cadena local de pruebas",
    byId: (id) => `la red con el id de cadena ${id}`,
    other: (name) =>
      `Tu monedero está en otra red. Esta página usa ${name}. La mayoría de los monederos pueden firmar igualmente; los que son contratos, no.`,
    change: (name) => `Cambiar a ${name}`,
    unable: (name) => `Tu monedero no ha cambiado de red. Cambia a ${name} en el propio monedero.`,
  },
  other: {
    title: "Monedero equivocado",
    missing: (wallet) =>
      `La dirección que pide la app no está seleccionada en tu monedero (${wallet}). Selecciónala allí y esta página se actualizará.`,
    stillMissing: "Esa dirección sigue sin estar seleccionada en tu monedero.",
    signedIn: "No has entrado con el monedero que pide la app.",
    asked: "La app pide",
    used: "Estás usando",
    consequence: (app = "la app") => `Si continúas con este monedero, ${app} no encontrará tu cuenta.`,
    askAgain: "Elegir cuentas en el monedero",
    signInWithRight: "Entrar con el monedero correcto",
    allTheSame: "Continuar con este monedero de todos modos",
  },

  prove: {
    title: "Verifica tu cuenta",
    done: "Ya has verificado esta cuenta",
    accounts: "Tus cuentas",
    signOut: "Cerrar sesión o usar otro monedero",
    none: "Aquí aún no se puede verificar ninguna cuenta: el operador no ha configurado ningún proveedor.",
    how: (provider = "el proveedor") =>
      `A continuación, entras en ${provider} y nos dejas leer tu cuenta una vez. Después te mostramos lo que hemos leído, antes de guardar nada.`,
    again: "Verificar otra vez",
    usable: (app) =>
      `Está guardada para este monedero. ${app} decide si cumple sus condiciones. Si tus números han cambiado, verifícala otra vez.`,
    allTheSame: "Verificarla de nuevo de todos modos",
    leaving: (label) => `Abriendo ${label}…`,
    goOn: (place) => `Continuar en ${place}`,
    tooOld: (label, moment, app, since) =>
      `Verificaste tu cuenta de ${label} ${moment}. ${app} pide que la verifiques ${since} o más tarde, así que hazlo otra vez.`,
    unfinished: (label) => `Has vuelto de ${label} sin terminar allí. Empieza otra vez aquí.`,
    ended: {
      used: "Ese inicio de sesión ya se usó. Si tu cuenta no está aquí, empieza de nuevo.",
      late: "Ese inicio de sesión tardó más de 15 minutos. Empieza de nuevo.",
      elsewhere:
        "Empezaste este inicio de sesión en otro navegador, y solo ese puede terminarlo. Vuelve a él, por ejemplo al navegador de tu monedero, y empieza de nuevo allí.",
      signedOut: "Tu sesión aquí terminó mientras estabas fuera. Entra con tu monedero y empieza de nuevo.",
      changed:
        "Un monedero ha entrado aquí mientras estabas fuera, así que ese inicio de sesión ya no vale. Empieza de nuevo.",
      dropped:
        "Después de ese inicio de sesión empezaste otros, y solo los más recientes se pueden terminar. Empieza de nuevo.",
      unknown: "Ese inicio de sesión no se puede terminar. Si tu cuenta no está aquí, empieza de nuevo.",
    },
  },
  accounts: {
    none: "No hay nada guardado para este monedero.",
    time: "Verificada aquí",
    accountId: "Id de la cuenta",
    asCode: "solo como código",
    erase: "Borrar",
    consequence:
      "La borramos de este servicio de inmediato y para siempre. Lo que has reclamado se queda en la cadena de bloques: nadie puede borrarlo de allí.",
    eraseNow: "Borrarla para siempre",
    keep: "Conservarla",
    erased: (label) =>
      `Tu cuenta de ${label} está borrada aquí para siempre. Lo que reclamaste con ella se queda en la cadena de bloques.`,
    gone: "Esa cuenta ya no está guardada aquí.",
    noTraits: "Solo que la cuenta es tuya.",
  },
  consequences: {
    appsInShort: (
      <>
        <b>Las apps ven un código</b>, no tu cuenta.
      </>
    ),
    everybodyInShort: (
      <>
        <b>Lo que reclamas es público</b>, para siempre.
      </>
    ),
    apps: (
      <>
        <b>Las apps</b> reciben un código que te representa solo en esa app. Cada mensaje que firmas solo les
        dice si tienes una cuenta que cumple su condición, verificada no hace demasiado tiempo. No conocen el
        nombre ni los números de tu cuenta, salvo que la condición sea un valor exacto, como un nombre de
        usuario, y la cumplas.
      </>
    ),
    everybody: (
      <>
        <b>Todo el mundo, para siempre:</b> cuando reclamas algo en una app, ese código queda en una cadena de
        bloques pública junto a la dirección de tu monedero. La condición que has cumplido también es pública.
        Nadie puede borrarlo de allí, ni tú ni nosotros. No revela qué cuenta es la tuya, salvo que lo haga la
        condición.
      </>
    ),
  },

  check: {
    title: "¿Guardar esta cuenta?",
    proven: (label) => `Tu cuenta de ${label} está verificada. Aún no hemos guardado nada. Guardaríamos:`,
    what: "Qué se guardaría",
    signedInAs: (name) => <>Has entrado como {name} (no se guarda).</>,
    dropped: (label, traits) =>
      `Esta vez ${label} no nos ha dicho: ${traits}. Si guardas ahora la cuenta, se borrará lo que teníamos guardado de esto.`,
    replaces: (label) =>
      `Ya habías verificado otra cuenta de ${label}. Esta la sustituye, y las apps te tratarán como a otra persona.`,
    storeAndGo: (app) => ["Guardarla y volver", `a ${app}`],
    store: "Guardarla",
    discard: "No guardarla",
    storing: "Guardándola…",
    stored: (label) => `Tu cuenta de ${label} está guardada`,
    goingBack: (app) => `Volviendo a ${app}…`,
    discarded: "No se ha guardado nada.",
    mayBeStored: (label) =>
      `Tu cuenta de ${label} está verificada. Puede que ya esté guardada: la respuesta del servicio no llegó. Para tu monedero guardamos:`,
    wasStored: (label) =>
      `Tu cuenta de ${label} ya estaba guardada, aunque la respuesta no llegó a la página. Puedes borrarla aquí.`,
  },
  failed: {
    denied: "Has denegado el acceso",
    title: (label) => `No hemos podido leer tu cuenta de ${label}`,
    nothing: "No se ha guardado ni cambiado nada.",
    back: (screen) => `Volver a «${screen}»`,
    reasons: {
      denied: (label) => `Has decidido no dejarnos leer tu cuenta de ${label}. No pasa nada.`,
      partly_denied: (label) =>
        `No se nos ha permitido leer todo lo que necesitamos de tu cuenta de ${label}. Inténtalo de nuevo y permítelo todo.`,
      rate_limited: (label) =>
        `${label} está recibiendo demasiadas peticiones nuestras. Espera unos minutos e inténtalo de nuevo.`,
      timeout: troubleThere,
      unreachable: troubleThere,
      provider_error: troubleThere,
      quota_exceeded: (label) =>
        `Hemos agotado las peticiones que ${label} nos permite por ahora. Vuelve otro día.`,
      expired: (label) =>
        `${label} ya no acepta este inicio de sesión. Quizá haya tardado demasiado o ya se haya usado. Inténtalo de nuevo.`,
      account_blocked: (label) =>
        `${label} no nos deja leer esta cuenta porque está suspendida o bloqueada allí. Desbloquéala allí o usa otra cuenta.`,
      not_set_up: (label) =>
        `${label} no nos atiende en este momento. No es culpa tuya: tienen que arreglarlo quienes gestionan este servicio. Vuelve más tarde.`,
      refused: (label) =>
        `${label} no nos ha dejado leer tu cuenta, por un motivo que desconocemos. Inténtalo de nuevo. Si sigue así, comprueba que la cuenta funciona en ${label}.`,
      incomplete: (label) =>
        `${label} no nos ha dicho todo lo que le hemos pedido. Inténtalo de nuevo más tarde.`,
      bad_answer: (label) =>
        `${label} nos ha enviado una respuesta que no entendemos. Inténtalo de nuevo. Si sigue así, vuelve mañana.`,
    },
  },
  leave: {
    title: (host) => `¿Vienes de ${host}?`,
    what: (host) => (
      <>
        La app que te ha enviado aquí quiere llevarte de vuelta a <b>{host}</b>. Continúa solo si vienes de
        allí. Esta es la dirección completa:
      </>
    ),
    go: (host) => `Ir a ${host}`,
    stay: "Quedarme aquí",
  },
  outdated: {
    title: "Algo ha cambiado",
    what: "Has entrado con otro monedero en otra pestaña, o has seguido allí con este. Esta página no está actualizada.",
    show: "Mostrar la página actual",
    signedOut: "Tu sesión ha terminado. La cerraste en otra pestaña o ha pasado demasiado tiempo.",
  },
  broken: {
    badLink: "Este enlace no funciona",
    appsFault:
      "La app que te ha enviado aquí ha cometido un error en su enlace. No es culpa tuya y no se ha guardado nada.",
    startAgain: "Vuelve a la app y empieza de nuevo. Si vuelve a pasar, avisa a sus responsables.",
    forDevelopers: "Para los desarrolladores de la app:",
    seeAccounts: "Ver tus cuentas",
    title: "No podemos mostrar esta página ahora",
    nothingLost: "No se pierde nada. Cuando vuelva a funcionar, podrás continuar donde estabas.",
    trying: "Intentándolo de nuevo…",
  },
};
