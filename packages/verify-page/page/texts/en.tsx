import type { ComponentChildren } from "preact";
import type { FailureReason } from "../../messages.ts";
import type { End } from "../memory.ts";

const troubleThere = (label: string) => `${label} is having problems. Wait a moment and try again.`;

export const en = {
  where: "Identity service",
  about: (
    <p>
      Apps use this page to count each account once, however many wallets its owner has. You verify one of
      your accounts, such as a social media account. Each app gets its own code for you instead of your
      account.
    </p>
  ),
  privacy: (
    <p>
      We store what you agree to on the page “Store this account?”: the values listed there, when you verified
      the account, and a code in place of its id. All of it is encrypted, and you can delete it here at any
      time. This page sets cookies that expire after 30 minutes, to remember your wallet. It loads nothing
      from other sites.
    </p>
  ),
  operatorsPrivacy: "Privacy notice of this service’s operator",
  loading: "One moment…",
  tryAgain: "Try again",
  goBackTo: (app: string) => `Go back to ${app}`,

  purpose: {
    anApp: "An app",
    unlisted: "We do not know this site. Check its address before you continue.",
    accountAt: (labels: string) => (labels === "" ? "an account" : `your ${labels} account`),
    asks: (app: string, account: string) => (
      <>
        <b>{app}</b> asks for {account}
      </>
    ),
    forWallet: (wallet: string) => (
      <>
        for wallet{" "}
        <b class="nowrap" translate={false}>
          {wallet}
        </b>
      </>
    ),
  },
  steps: {
    label: "Steps",
    names: ["Wallet", "Account", "Check", "Return"],
  },

  connect: {
    title: "Connect a wallet",
    why: "Verify one of your accounts, such as a social media account. Apps can then count you once. They see a code instead of your account.",
    choose: "Choose the wallet that you use with the app.",
    visit: "You can also see and delete the accounts that you verified before.",
    chooseOwn: "Choose your wallet.",
    chooseAsked: "Choose the wallet that the app asks for.",
    connecting: "Connecting shows us its address and costs nothing.",
  },
  noWallet: {
    title: "You need a wallet",
    what: "A wallet is an app, often a browser extension, that keeps your keys and signs for you. We found none in this browser.",
    goBack: "Go back to your other browser",
    install: "If you have just installed one, check again.",
    find: "Find a wallet",
    lookAgain: "Check again",
    onPhone: "Do you have a wallet on this phone? Open this page in it:",
    openIn: (name: string) => `Open in ${name}`,
    elsewhere: "On another device",
    scan: "Is your wallet on another device? Scan this code there, ideally with the wallet’s own scanner. Or copy the link.",
    code: "QR code with the link to this page",
    copy: "Copy the link",
    copied: "Link copied.",
    copyByHand: "Copy the link from here:",
    notTheSame: "You then continue on that device. The app finds the account by your wallet.",
  },

  address: { yours: "Your wallet:", copy: "Copy address", copied: "Copied." },
  signIn: {
    title: "Sign in with your wallet",
    what: (host: string) => (
      <>
        Your wallet signs a short message from <b>{host}</b>, which shows that the wallet is yours. Signing
        moves no money, approves no spending and costs nothing.
      </>
    ),
    sign: "Sign in",
    another: "Use another wallet",
    preparing: "Preparing the message to sign…",
    checking: "Checking your signature on the chain…",
    wrongSignature: (wallet: string) =>
      `That signature is not from ${wallet}. Check which account and which network your wallet uses, then try again.`,
    messageEnded: "That message was already used or is older than ten minutes. Try again to get a new one.",
    noCookies: (host: string) =>
      `This page needs cookies, but your browser does not keep them for ${host}. Allow them in the browser’s settings, or use another browser. Then reload the page.`,
    switched: "The account in your wallet has changed. Sign in again with the one that is shown now.",
    disconnected: "Your wallet disconnected from this page. Choose it again, or choose another one.",
  },
  network: {
    local: "the local test chain",
    byId: (id: number) => `the network with chain id ${id}`,
    other: (name: string) =>
      `Your wallet is on a different network. This page uses ${name}. Most wallets can sign anyway; a contract wallet cannot.`,
    change: (name: string) => `Switch to ${name}`,
    unable: (name: string) => `Your wallet did not switch networks. Switch to ${name} in the wallet itself.`,
  },
  other: {
    title: "Wrong wallet",
    missing: (wallet: string) =>
      `The address that the app asks for is not selected in your wallet (${wallet}). Select it there, and this page updates.`,
    stillMissing: "That address is still not selected in your wallet.",
    signedIn: "You are not signed in with the wallet that the app asks for.",
    asked: "The app asks for",
    used: "You are using",
    consequence: (app = "the app") => `If you continue with this wallet, ${app} will not find your account.`,
    askAgain: "Choose accounts in the wallet",
    signInWithRight: "Sign in with the right wallet",
    allTheSame: "Continue with this wallet anyway",
  },

  prove: {
    title: "Verify your account",
    done: "You have already verified this account",
    accounts: "Your accounts",
    signOut: "Sign out or use another wallet",
    none: "You cannot verify an account here yet. The operator has not set up a provider.",
    how: (provider = "the provider") =>
      `Next, you sign in at ${provider} and let us read your account once. We then show you what we read, before we store anything.`,
    again: "Verify again",
    usable: (app: string) =>
      `It is stored for this wallet. ${app} decides whether it meets its conditions. If your numbers have changed, verify it again.`,
    allTheSame: "Verify it again anyway",
    leaving: (label: string) => `Going to ${label}…`,
    goOn: (place: string) => `Continue to ${place}`,
    tooOld: (label: string, moment: string, app: string, since: string) =>
      `You verified your ${label} account ${moment}. ${app} needs it verified ${since} or later, so verify it again.`,
    unfinished: (label: string) => `You came back from ${label} before you finished there. Start again here.`,
    ended: {
      used: "That sign-in was already used. If your account is not here, start again.",
      late: "That sign-in took longer than 15 minutes. Start again.",
      elsewhere:
        "You started this sign-in in another browser, and only that one can finish it. Go back to it, such as to your wallet’s own browser, and start again there.",
      signedOut:
        "You were signed out here while you were at the provider. Sign in with your wallet, then start again.",
      changed:
        "A wallet signed in here while you were at the provider, so that sign-in no longer counts. Start again.",
      dropped: "You started other sign-ins since then. Only the latest can be finished. Start again.",
      unknown: "That sign-in cannot be finished. If your account is not here, start again.",
    } satisfies Readonly<Record<End, string>>,
  },
  accounts: {
    none: "Nothing is stored for this wallet.",
    time: "Verified here",
    accountId: "Account id",
    asCode: "only as a code",
    erase: "Delete",
    consequence:
      "We delete it from this service at once and for good. Your claims stay on the blockchain, where nobody can delete them.",
    eraseNow: "Delete it for good",
    keep: "Keep it",
    erased: (label: string) =>
      `Your ${label} account is deleted here for good. Your claims with it stay on the blockchain.`,
    gone: "That account is no longer stored here.",
    noTraits: "Only that the account is yours.",
  },
  consequences: {
    appsInShort: (
      <>
        <b>Apps see a code</b>, not your account.
      </>
    ),
    everybodyInShort: (
      <>
        <b>Your claims are public</b>, forever.
      </>
    ),
    apps: (
      <>
        <b>Apps</b> get a code that stands for you at that one app. Each message that you sign tells them only
        whether you have an account, verified recently enough, that meets their condition. They do not learn
        your account’s name or numbers, unless the condition is one exact value, such as one user name, and
        you meet it.
      </>
    ),
    everybody: (
      <>
        <b>Everyone, forever:</b> when you claim something at an app, that code goes onto a public blockchain
        next to your wallet’s address. The app’s condition, which you met, is public too. Nobody can delete it
        there, not even us. It does not say which account is yours, unless the condition does.
      </>
    ),
  },

  check: {
    title: "Store this account?",
    proven: (label: string) =>
      `Your ${label} account is verified. Nothing is stored yet. For your wallet, we would store:`,
    what: "What would be stored",
    signedInAs: (name: ComponentChildren) => <>You signed in as {name}. We do not store this name.</>,
    dropped: (label: string, traits: string) =>
      `This time, ${label} did not share: ${traits}. If you store the account now, we delete our earlier record of this.`,
    replaces: (label: string) =>
      `You verified another ${label} account before. This one takes its place, and apps will treat you as a different person.`,
    storeAndGo: (app: string) => ["Store it and go back", `to ${app}`],
    store: "Store it",
    discard: "Do not store it",
    storing: "Storing it…",
    stored: (label: string) => `Your ${label} account is stored`,
    goingBack: (app: string) => `Going back to ${app}…`,
    discarded: "Nothing was stored.",
    mayBeStored: (label: string) =>
      `Your ${label} account is verified. It may be stored already: the service’s answer did not arrive. For your wallet, we store:`,
    wasStored: (label: string) =>
      `Your ${label} account was stored, although this page did not get the answer. You can delete it here.`,
  },
  failed: {
    denied: "You denied access",
    title: (label: string) => `We could not read your ${label} account`,
    nothing: "Nothing was stored or changed.",
    back: (screen: string) => `Back to “${screen}”`,
    reasons: {
      denied: (label) => `You chose not to let us read your ${label} account. That’s fine.`,
      partly_denied: (label) =>
        `We were not allowed to read everything that we need from your ${label} account. Try again, and allow everything.`,
      rate_limited: (label) => `We have sent ${label} too many requests. Wait a few minutes and try again.`,
      timeout: troubleThere,
      unreachable: troubleThere,
      provider_error: troubleThere,
      quota_exceeded: (label) =>
        `We have used up the requests that ${label} allows us for now. Come back another day.`,
      expired: (label) =>
        `${label} no longer accepts this sign-in. It may have taken too long, or it was already used. Try again.`,
      account_blocked: (label) =>
        `${label} does not let us read this account, because it is suspended or locked there. Unlock it there, or use another account.`,
      not_set_up: (label) =>
        `${label} is refusing our requests. This is not your fault. The people who run this service have to fix it. Come back later.`,
      refused: (label) =>
        `${label} did not let us read your account, for a reason that we do not know. Try again. If it keeps happening, check that the account works at ${label}.`,
      incomplete: (label) => `${label} did not tell us everything that we asked for. Try again later.`,
      bad_answer: (label) =>
        `${label} sent an answer that we do not understand. Try again. If it keeps happening, come back tomorrow.`,
    } satisfies Readonly<Record<FailureReason, (label: string) => string>>,
  },
  leave: {
    title: (host: string) => `Did you come from ${host}?`,
    what: (host: string) => (
      <>
        The app that sent you here wants to take you back to <b>{host}</b>. Continue only if you came from
        there. This is the full address:
      </>
    ),
    go: (host: string) => `Go to ${host}`,
    stay: "Stay here",
  },
  outdated: {
    title: "Something has changed",
    what: "You signed in with another wallet in another tab, or continued there with this one. This page is out of date.",
    show: "Show the current page",
    signedOut: "You are no longer signed in. You signed out in another tab or were away too long.",
  },
  broken: {
    badLink: "This link does not work",
    appsFault:
      "The app that sent you here made a mistake in its link. This is not your fault. Nothing was stored.",
    startAgain: "Go back to the app and start again. If it happens again, tell the people who run the app.",
    forDevelopers: "For the app’s developers:",
    seeAccounts: "See your accounts",
    title: "We cannot show this page right now",
    nothingLost: "Nothing is lost. You can continue where you were when it works again.",
    trying: "Trying again…",
  },
};

export type VerifyTexts = typeof en;
