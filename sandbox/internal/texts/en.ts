export const en = {
  title: (label: string) => `Sign in to ${label}`,
  madeUp: "sandbox for development",
  standsIn: "This page stands in for the real sign-in. Its users are made up, and there are no passwords.",
  asks: (app: string) => `The verify page at ${app} wants to read:`,
  choose: "Choose a test user",
  continueAs: (name: string) => `Continue as ${name}`,
  raw: "Raw traits",
  missing: "(missing)",
  create: "Create a test user",
  accountId: "Account id",
  replaces: "If the id already exists, that account is replaced.",
  name: "Name",
  continueAsCreated: "Continue as this user",
  deny: "Deny",
  problems: {
    pick: "Choose one of the users.",
    noId: "Enter an account id. Any text will do.",
    int: (trait: string) => `${trait} must be a whole number in digits only, such as 1200.`,
    bool: (trait: string) => `${trait} must be true or false.`,
  },
  endedTitle: "This sign-in has ended",
  ended: "It took too long or was already completed. Go back to the app and start again.",
  goTo: (app: string) => `Go to ${app}`,
  sandbox: "Sandbox",
  lostTitle: "There is no page here",
  lost: "The verify page sends you to the sandbox when you prove an account. Start at your app or at the verify page.",
  refusedTitle: "The sandbox refuses this request",
  refused: (reason: string) =>
    `The app that sent you here made a mistake: ${reason}. Go back and tell its developers.`,
};

export type SandboxTexts = typeof en;
