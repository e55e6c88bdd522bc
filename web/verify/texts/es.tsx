import type { VerifyTexts } from "./en.tsx";

const troubleThere = (label: string) =>
  `${label} tiene problemas en este momento. Espera un poco e inténtalo de nuevo.`;

export const es: VerifyTexts = {
  where: "Demuestra una cuenta",
  about: (
    <p>
      Aquí preguntan las aplicaciones si un monedero es de una sola persona real. Tú muestras que una cuenta,
      por ejemplo de una red social, es tuya; la aplicación recibe un código que te representa allí, y no
      quién eres.
    </p>
  ),
  privacy: (
    <p>
      Guardamos lo que aceptas en la página «¿Es correcto?»: los datos que se enumeran allí, cuándo
      demostraste la cuenta y un código en lugar de su identificador, todo cifrado. Puedes borrarlo aquí
      cuando quieras. Esta página usa cookies que caducan a los 30 minutos, para conocer tu monedero; no carga
      nada de nadie más.
    </p>
  ),
  operatorsPrivacy: "El aviso de privacidad de quien lleva este servicio",
  loading: "Un momento…",
  tryAgain: "Intentar de nuevo",
  goBackTo: (app) => `Volver a ${app}`,

  purpose: {
    anApp: "Una aplicación",
    accountAt: (labels) => (labels === "" ? "una cuenta" : `tu cuenta de ${labels}`),
    asks: (app, account) => (
      <>
        <b>{app}</b> pide {account}
      </>
    ),
    forWallet: (wallet) => (
      <>
        , para <b class="nowrap">{wallet}</b>
      </>
    ),
  },
  steps: {
    label: "Pasos",
    names: ["Monedero", "Cuenta", "Revisar", "Volver"],
  },

  connect: {
    title: "Conecta un monedero",
    why: "Aquí demuestras que una cuenta, por ejemplo de una red social, es tuya. Las aplicaciones saben entonces que eres una persona real, y no quién eres.",
    choose:
      "Elige el monedero que usas con la aplicación. Al conectarlo vemos su dirección, y no cuesta nada.",
    chooseAsked: (wallet) => (
      <>
        Elige el monedero que tiene <b class="nowrap">{wallet}</b>. Al conectarlo vemos su dirección, y no
        cuesta nada.
      </>
    ),
  },
  noWallet: {
    title: "Necesitas un monedero",
    what: "Un monedero es una aplicación que guarda tus claves y firma por ti, a menudo una extensión del navegador. En este navegador no hemos encontrado ninguno.",
    install: "Si acabas de instalar uno, mira otra vez.",
    lookAgain: "Mirar otra vez",
    onPhone: "¿Hay un monedero en este teléfono? Abre esta página en él:",
    openIn: (name) => `Abrir en ${name}`,
    elsewhere: "En otro dispositivo",
    scan: "¿Está tu monedero en otro dispositivo? Escanea allí este código, a ser posible con el propio monedero, o copia el enlace.",
    code: "Código con el enlace a esta página",
    copy: "Copiar el enlace",
    copied: "El enlace está copiado.",
    copyByHand: "Cópialo de aquí:",
    notTheSame:
      "Entonces sigues allí. La aplicación que te envió encuentra la cuenta por tu monedero, la demuestres donde la demuestres.",
  },

  signIn: {
    title: "Entra con tu monedero",
    what: (host) => (
      <>
        Tu monedero te mostrará un texto corto de <b>{host}</b> y te pedirá que lo firmes. Así demuestras que
        el monedero es tuyo. No mueve dinero, no permite gastar nada y no cuesta nada.
      </>
    ),
    address: (wallet) => `${wallet}, dirección`,
    sign: "Entrar",
    another: "Usar otro monedero",
    preparing: "Preparando lo que firmas…",
    checking: "Comprobando tu firma con la cadena…",
    wrongSignature: (wallet) =>
      `Esa no era una firma de ${wallet}. Mira si tu monedero tiene elegida otra cuenta o está en otra red, e inténtalo de nuevo.`,
    messageEnded: "Ese texto ya se usó, o tiene más de diez minutos. Inténtalo de nuevo: recibirás otro.",
    disconnected: "Tu monedero se ha desconectado de esta página. Elígelo otra vez, o elige otro.",
  },
  network: {
    other: (name) =>
      `Tu monedero está en otra red; aquí es ${name}. La mayoría de los monederos pueden firmar igualmente. Uno que es un contrato no puede.`,
    change: (name) => `Cambiar a ${name}`,
    unable: (name) => `Tu monedero no ha cambiado de red. Cambia a ${name} en el propio monedero.`,
  },
  other: {
    title: "Es otro monedero",
    missing: (wallet, asked) => (
      <>
        {wallet} no nos ha mostrado <b class="nowrap">{asked}</b>. Elige esa cuenta en tu monedero: esta
        página se da cuenta.
      </>
    ),
    stillMissing: (wallet, asked) =>
      `${wallet} ha vuelto a mostrar sus cuentas, y ${asked} no está entre ellas.`,
    chosen: (asked) => (
      <>
        Has elegido otro monedero que <b class="nowrap">{asked}</b>.
      </>
    ),
    signedIn: (wallet, asked) => (
      <>
        Has entrado con <b class="nowrap">{wallet}</b>, y no con <b class="nowrap">{asked}</b>.
      </>
    ),
    consequence: (app) => `${app} no encontrará una cuenta que demuestres para otro monedero.`,
    take: (asked) => `Usar ${asked}`,
    askAgain: "Elegir cuentas en el monedero",
    signInWith: (asked) => `Entrar con ${asked}`,
    allTheSame: (wallet) => `Seguir con ${wallet} de todos modos`,
  },

  prove: {
    title: "Demuestra una cuenta",
    accounts: "Tus cuentas",
    forWallet: "Para tu monedero",
    signOut: "Salir, o usar otro monedero",
    none: "Ahora mismo no se puede demostrar ninguna cuenta aquí: el operador no ha configurado ningún proveedor.",
    how: "Entras donde está tu cuenta y nos dejas mirarla una vez. De vuelta aquí ves lo que hemos leído, antes de que se guarde nada.",
    prove: (label) => `Demostrar tu cuenta de ${label}`,
    again: (label) => `Demostrar tu cuenta de ${label} otra vez`,
    allTheSame: "Demostrarla de nuevo de todos modos",
    leaving: (label) => `De camino a ${label}…`,
    alreadyTitle: (label) => `Tu cuenta de ${label}`,
    already: (moment) => `Ya demostrada ${moment}.`,
    goOn: (app) => `Continuar a ${app}`,
    tooOld: (label, moment, app, since) =>
      `Demostraste tu cuenta de ${label} ${moment}. ${app} la quiere demostrada ${since} o después: demuéstrala otra vez.`,
    unfinished: (label) =>
      `Has vuelto de ${label} sin terminar allí. Empieza otra vez, o termina donde lo dejaste abierto.`,
    ended:
      "Ese intento no empezó en este navegador, ya se usó o tardó demasiado. No guardó nada; sigue aquí.",
  },
  accounts: {
    none: "No hay nada guardado para este monedero.",
    lastProven: (moment) => `Demostrada por última vez ${moment}`,
    erase: "Borrar",
    consequence:
      "Se borra aquí en el acto y para siempre, también de los archivos de la base de datos. Lo que ya está en una cadena de bloques, por lo que reclamaste, se queda allí: eso no lo puede borrar nadie.",
    eraseNow: "Borrarla para siempre",
    keep: "Conservarla",
    erased: (label) =>
      `Tu cuenta de ${label} está borrada aquí, para siempre. Lo que reclamaste con ella se queda en la cadena de bloques.`,
    gone: "Esa cuenta ya no está guardada aquí. Se borró en otro sitio, o el servicio ha empezado de nuevo.",
    noTraits: "Nada más que el hecho de que la cuenta es tuya.",
  },
  consequences: {
    title: "Qué saben los demás",
    appsInShort: (
      <>
        <b>Las aplicaciones</b> reciben un código que te representa allí, y si cumples su condición: no el
        nombre ni los números de tu cuenta, salvo que pidan un valor exacto.
      </>
    ),
    everybodyInShort: (
      <>
        <b>Todo el mundo</b> sabe, para siempre, lo que reclamas con ella: ese código queda junto a la
        dirección de tu monedero en una cadena de bloques pública. Nadie puede borrarlo de allí.
      </>
    ),
    inFull: "Con todo detalle",
    apps: (
      <>
        <b>Las aplicaciones</b> reciben un código que te representa en esa única aplicación, y una sola cosa
        con cada mensaje que firmas para ellas: si tienes una cuenta, la demostraste hace poco y cumples su
        condición. No conocen el nombre ni los números de tu cuenta, salvo que la condición sea un valor
        exacto: una aplicación que pide un nombre de usuario sabe que es el tuyo cuando la cumples.
      </>
    ),
    everybody: (
      <>
        <b>Todo el mundo, para siempre:</b> cuando reclamas algo en una aplicación, ese código queda en una
        cadena de bloques pública junto a la dirección de tu monedero, y también la condición que has
        cumplido. Nadie puede borrarlo de allí, ni tú ni nosotros. No dice qué cuenta es la tuya, salvo que lo
        diga la condición.
      </>
    ),
  },

  check: {
    title: "¿Es correcto?",
    proven: (label) =>
      `Tu cuenta de ${label} está demostrada. Aún no se ha guardado nada. Esto es lo que guardaríamos para tu monedero:`,
    what: "Qué se guardaría",
    besides:
      "Y cuándo la demostraste, y un código en lugar del identificador de la cuenta, del que nadie sin nuestra clave puede deducir la cuenta.",
    replaces: (label) =>
      `Antes demostraste otra cuenta de ${label}. Esta ocupa su lugar, y las aplicaciones te tomarán por otra persona que antes.`,
    storeAndGo: (app) => `Guardarla y volver a ${app}`,
    store: "Guardarla",
    discard: "No guardarla",
    storing: "Guardándola…",
    stored: (label) => `Tu cuenta de ${label} está guardada.`,
    discarded: "No se ha guardado nada.",
  },
  failed: {
    denied: "No lo has permitido",
    title: (label) => `${label} no ha contestado como debía`,
    nothing: "No se ha guardado nada, y nada de lo que estaba guardado ha cambiado.",
    back: "Un paso atrás",
    reasons: {
      denied: (label) => `En ${label} has decidido no dejarnos mirar tu cuenta. Está bien.`,
      rate_limited: (label) =>
        `${label} tiene demasiadas visitas nuestras en este momento. Espera unos minutos e inténtalo de nuevo.`,
      timeout: troubleThere,
      unreachable: troubleThere,
      provider_error: troubleThere,
      refused: (label) =>
        `${label} ha cortado antes de que pudiéramos mirar tu cuenta. Inténtalo de nuevo; quizá tardó demasiado.`,
      bad_answer: (label) =>
        `${label} nos ha dicho algo que no entendemos. Inténtalo de nuevo; si sigue así, vuelve mañana.`,
    },
  },
  leave: {
    title: "¿Vienes de aquí?",
    what: (host) => (
      <>
        La aplicación que te ha enviado quiere que vuelvas a <b>{host}</b>. No conocemos esa aplicación. Sigue
        solo si vienes de allí. Esta es la dirección completa:
      </>
    ),
    go: (host) => `Ir a ${host}`,
    stay: "Quedarme aquí",
  },
  outdated: {
    title: "Algo ha cambiado mientras tanto",
    what: "En otra pestaña o ventana has entrado con otro monedero, o has seguido con este. Lo que has pulsado era sobre cómo estaban las cosas antes, así que no se ha hecho nada.",
    show: "Mostrar cómo están ahora",
    signedOut:
      "Ya no has entrado: saliste en otra pestaña, o pasó demasiado tiempo. No se ha hecho nada; entra y sigue donde estabas.",
  },
  broken: {
    badLink: "Este enlace no funciona",
    appsFault:
      "La aplicación que te ha enviado cometió un error en su enlace. Tú no has hecho nada mal, y no se ha guardado nada.",
    tellThem: "Cierra esta página y avisa a quienes llevan la aplicación.",
    title: "Esta página no se puede mostrar ahora",
    nothingLost: "No se pierde nada: cuando vuelva a funcionar, sigues donde estabas.",
    trying: "Intentándolo de nuevo…",
  },
};
