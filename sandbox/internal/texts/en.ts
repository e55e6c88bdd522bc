export const en = {
  title: (label: string) => `Sign in to ${label}`,
  madeUp: "sandbox for development",
  standsIn: "This page stands in for the real sign-in. Its users are made up, and there are no passwords.",
  asks: (app: string) => `${app} wants to read:`,
  signInAs: "Sign in as a test user",
  continueAs: (name: string) => `Continue as ${name}`,
  raw: "Raw traits",
  /** Traits by their names in this language, if these are not their own names. */
  words: {} as Readonly<Record<string, string>>,
  not: (words: string) => `not ${words}`,
  missing: "(missing)",
  create: "Create a test user",
  accountId: "Account id",
  changes: "an existing id changes that account",
  name: "Name",
  continueAsCreated: "Continue as this user",
  deny: "Deny",
  problems: {
    pick: "Choose one of the users.",
    noId: "Enter an account id. Any text will do.",
    type: (trait: string, type: string, value: string) => `${trait} must be of type ${type}, not ${value}.`,
  },
  endedTitle: "This sign-in has ended",
  ended: "It took too long or was already completed. Go back to the app and start again.",
  sandbox: "Sandbox",
  lostTitle: "There is no page here",
  lost: "The verify page sends you to the sandbox when you prove an account. Start at your app or at the verify page.",
  refusedTitle: "The sandbox refuses this request",
  refused: (reason: string) =>
    `The app that sent you here made a mistake: ${reason}. Go back and tell its developers.`,
};

export type SandboxTexts = typeof en;
