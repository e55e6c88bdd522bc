import type { FailureReason } from "../../../protocol/verifyPage.ts";

const troubleThere = (label: string) => `${label} has trouble at the moment. Wait a little and try again.`;

export const en = {
  where: "Prove an account",
  about: (
    <p>
      Apps ask here whether a wallet belongs to one real person. You show that an account, such as a social
      media account, is yours; the app learns a code that stands for you there, and not who you are.
    </p>
  ),
  privacy: (
    <p>
      We store what you agree to on the page “Is this right?”: the numbers that are listed there, when you
      proved the account, and a code in place of its id, all of it encrypted. You can delete it here at any
      time. This page sets cookies that end after 30 minutes, to know your wallet; it loads nothing from
      anybody else.
    </p>
  ),
  operatorsPrivacy: "The privacy notice of whoever runs this service",
  loading: "One moment…",
  tryAgain: "Try again",
  goBackTo: (app: string) => `Go back to ${app}`,

  purpose: {
    anApp: "An app",
    accountAt: (labels: string) => (labels === "" ? "an account" : `your ${labels} account`),
    asks: (app: string, account: string) => (
      <>
        <b>{app}</b> asks for {account}
      </>
    ),
    forWallet: (wallet: string) => (
      <>
        , for <b class="nowrap">{wallet}</b>
      </>
    ),
  },
  steps: {
    label: "Steps",
    names: ["Wallet", "Account", "Check", "Back"],
  },

  connect: {
    title: "Connect a wallet",
    why: "Here you prove that an account, such as a social media account, is yours. Apps then know that you are one real person, and not who you are.",
    choose:
      "Choose the wallet that you use with the app. Connecting shows us its address, and costs nothing.",
    chooseAsked: (wallet: string) => (
      <>
        Choose the wallet that has <b class="nowrap">{wallet}</b>. Connecting shows us its address, and costs
        nothing.
      </>
    ),
  },
  noWallet: {
    title: "You need a wallet",
    what: "A wallet is an app that keeps your keys and signs for you, often as an extension of your browser. We found none in this browser.",
    install: "If you have just installed one, look again.",
    lookAgain: "Look again",
    onPhone: "Is there a wallet on this phone? Open this page in it:",
    openIn: (name: string) => `Open in ${name}`,
    elsewhere: "On another device",
    scan: "Is your wallet on another device? Scan this code there, with the wallet’s own scanner if it has one, or copy the link.",
    code: "Code with the link to this page",
    copy: "Copy the link",
    copied: "The link is copied.",
    copyByHand: "Copy it from here:",
    notTheSame:
      "You then go on over there. The app that sent you finds the account by your wallet, wherever you proved it.",
  },

  signIn: {
    title: "Sign in with your wallet",
    what: (host: string) => (
      <>
        Your wallet will show you a short text from <b>{host}</b> and ask you to sign it. That proves that the
        wallet is yours. It moves no money, allows nothing to be spent, and costs nothing.
      </>
    ),
    address: (wallet: string) => `${wallet}, address`,
    sign: "Sign in",
    another: "Use another wallet",
    preparing: "Preparing what you sign…",
    checking: "Checking your signature with the chain…",
    wrongSignature: (wallet: string) =>
      `That was not a signature of ${wallet}. See whether your wallet has another account chosen, or is on another network, and try again.`,
    messageEnded: "That text was used already, or is older than ten minutes. Try again: you get a new one.",
    disconnected: "Your wallet has been disconnected from this page. Choose it again, or another one.",
  },
  network: {
    other: (name: string) =>
      `Your wallet is on another network; here it is ${name}. Most wallets can sign all the same. One that is a contract cannot.`,
    change: (name: string) => `Change to ${name}`,
    unable: (name: string) =>
      `Your wallet did not change the network. Change to ${name} in the wallet itself.`,
  },
  other: {
    title: "That is another wallet",
    missing: (wallet: string, asked: string) => (
      <>
        {wallet} has not shown us <b class="nowrap">{asked}</b>. Choose that account in your wallet: this page
        follows.
      </>
    ),
    stillMissing: (wallet: string, asked: string) =>
      `${wallet} has shown its accounts again, and ${asked} is not among them.`,
    chosen: (asked: string) => (
      <>
        You have chosen another wallet than <b class="nowrap">{asked}</b>.
      </>
    ),
    signedIn: (wallet: string, asked: string) => (
      <>
        You are signed in with <b class="nowrap">{wallet}</b>, and not with <b class="nowrap">{asked}</b>.
      </>
    ),
    consequence: (app: string) => `${app} will not find an account that you prove for another wallet.`,
    take: (asked: string) => `Use ${asked}`,
    askAgain: "Choose accounts in the wallet",
    signInWith: (asked: string) => `Sign in with ${asked}`,
    allTheSame: (wallet: string) => `Go on with ${wallet} all the same`,
  },

  prove: {
    title: "Prove an account",
    accounts: "Your accounts",
    forWallet: "For your wallet",
    signOut: "Sign out, or use another wallet",
    none: "No account can be proven here at present: the operator has set up no provider.",
    how: "You sign in where your account is, and let us look at it once. Back here you see what we read, before anything is stored.",
    prove: (label: string) => `Prove your ${label} account`,
    again: (label: string) => `Prove your ${label} account again`,
    allTheSame: "Prove it again all the same",
    leaving: (label: string) => `On the way to ${label}…`,
    alreadyTitle: (label: string) => `Your ${label} account`,
    already: (moment: string) => `Already proven ${moment}.`,
    goOn: (app: string) => `Continue to ${app}`,
    tooOld: (label: string, moment: string, app: string, since: string) =>
      `You proved your ${label} account ${moment}. ${app} wants it proven ${since} or later: prove it again.`,
    unfinished: (label: string) =>
      `You are back from ${label} without having finished there. Start again, or finish where you left it open.`,
    ended:
      "That sign-in was not started in this browser, was used already, or took too long. Nothing was stored by it; go on here.",
  },
  accounts: {
    none: "Nothing is stored for this wallet.",
    lastProven: (moment: string) => `Last proven ${moment}`,
    erase: "Delete",
    consequence:
      "It is erased here at once and for good, also from the database’s files. What is on a blockchain already, from claims that you made, stays there: nobody can delete that.",
    eraseNow: "Delete it for good",
    keep: "Keep it",
    erased: (label: string) =>
      `Your ${label} account is deleted here, for good. What you claimed with it stays on the blockchain.`,
    gone: "That account is not stored here any more. It was deleted elsewhere, or the service has started anew.",
    noTraits: "Nothing but that the account is yours.",
  },
  consequences: {
    title: "What others learn",
    appsInShort: (
      <>
        <b>Apps</b> learn a code that stands for you there, and whether you meet their condition: not your
        account’s name or numbers, unless they ask for one exact value.
      </>
    ),
    everybodyInShort: (
      <>
        <b>Everybody</b> learns, for ever, what you claim with it: that code stands next to your wallet’s
        address on a public blockchain. Nobody can delete it there.
      </>
    ),
    inFull: "In full",
    apps: (
      <>
        <b>Apps</b> learn a code that stands for you at that one app, and one thing by each message that you
        sign for them: whether you have an account, proved it lately enough, and meet their condition. They do
        not learn your account’s name or numbers, unless the condition is one exact value: an app that asks
        for one user name learns that it is yours when you meet it.
      </>
    ),
    everybody: (
      <>
        <b>Everybody, for ever:</b> when you claim something at an app, that code goes onto a public
        blockchain next to your wallet’s address, and so does the app’s condition, which you met. Nobody can
        delete it there, neither you nor we. It does not tell which account is yours, unless the condition
        does.
      </>
    ),
  },

  check: {
    title: "Is this right?",
    proven: (label: string) =>
      `Your ${label} account is proven. Nothing is stored yet. This is what we would store for your wallet:`,
    what: "What would be stored",
    besides:
      "And when you proved it, and a code in place of the account’s id, from which nobody without our key can tell the account.",
    replaces: (label: string) =>
      `You proved another ${label} account before. This one takes its place, and apps will take you for another person than before.`,
    storeAndGo: (app: string) => `Store it, and go back to ${app}`,
    store: "Store it",
    discard: "Do not store it",
    storing: "Storing it…",
    stored: (label: string) => `Your ${label} account is stored.`,
    discarded: "Nothing was stored.",
  },
  failed: {
    denied: "You did not allow it",
    title: (label: string) => `${label} did not answer as it should`,
    nothing: "Nothing was stored, and nothing that was stored before has changed.",
    back: "One step back",
    reasons: {
      denied: (label) => `At ${label}, you chose not to let us look at your account. That is fine.`,
      rate_limited: (label) =>
        `${label} has too many visitors from us at the moment. Wait a few minutes and try again.`,
      timeout: troubleThere,
      unreachable: troubleThere,
      provider_error: troubleThere,
      refused: (label) =>
        `${label} ended the sign-in before we could look at your account. Try again; it may have taken too long.`,
      bad_answer: (label) =>
        `${label} told us something that we do not understand. Try again; if it stays so, come back tomorrow.`,
    } satisfies Readonly<Record<FailureReason, (label: string) => string>>,
  },
  leave: {
    title: "Is this where you came from?",
    what: (host: string) => (
      <>
        The app that sent you here asks to have you back at <b>{host}</b>. We do not know this app. Go on only
        if you came from there. This is the whole address:
      </>
    ),
    go: (host: string) => `Go to ${host}`,
    stay: "Stay here",
  },
  outdated: {
    title: "Something changed meanwhile",
    what: "In another tab or window you signed in with another wallet, or went on with this one. What you clicked was about how things were before, so nothing was done.",
    show: "Show how things are now",
    signedOut:
      "You are not signed in any more: you signed out in another tab, or were away too long. Nothing was done; sign in, and go on where you were.",
  },
  broken: {
    badLink: "This link does not work",
    appsFault:
      "The app that sent you here made a mistake in its link. You did nothing wrong, and nothing was stored.",
    tellThem: "Close this page, and tell the people who run the app.",
    title: "This page cannot be shown right now",
    nothingLost: "Nothing is lost: when it works again, you go on where you were.",
    trying: "Trying again…",
  },
};

export type VerifyTexts = typeof en;
