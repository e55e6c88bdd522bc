export const en = {
  title: (label: string) => `${label} sandbox: choose an account`,
  madeUp: "made up for development",
  who: (label: string) => `${label}: who are you?`,
  standsIn:
    "This page stands in for the real provider’s sign-in. Nobody here is real, and no password is asked.",
  known: "Sign in as somebody known",
  signIn: "Sign in",
  invent: "Or invent somebody",
  accountId: "Account id",
  changes: "a known id changes that account",
  name: "Name",
  id: (accountId: string) => `id ${accountId}`,
  missing: "(missing)",
  signInInvented: "Sign in as this person",
  refuse: "Refuse and go back",
  problems: {
    pick: "Pick one of the accounts.",
    noId: "The account id is empty; any text does.",
    type: (trait: string, type: string, value: string) => `${trait} must be of type ${type}, not ${value}.`,
  },
  endedTitle: "This sign-in has ended",
  ended: "It took too long, or was finished already. Go back to the app and start again.",
  refusedTitle: "The sandbox refuses this request",
  refused: (reason: string) =>
    `The app that sent you made a mistake: ${reason}. Go back, and tell its makers.`,
};

export type SandboxTexts = typeof en;
