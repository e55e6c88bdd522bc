import { html } from "../../../signer/pages/html.ts";

export const en = {
  title: (label: string) => `Sign in to ${label}`,
  madeUp: "sandbox for development",
  standsIn: "This page stands in for the real sign-in. Its users are made up, and there are no passwords.",
  asks: (app: string) => `The verify page at ${app} wants to read:`,
  choose: "Choose a test user",
  continueAs: (name: string) => `Continue as ${name}`,
  raw: "Raw account data",
  missing: "not set",
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
    bool: (trait: string) => `${trait} must be yes or no.`,
  },
  endedTitle: "This sign-in has ended",
  ended: "It took too long, or the sandbox was restarted. Continue on the verify page.",
  answeredTitle: "You have already answered",
  answered: "You chose a test user or denied access. Continue on the verify page.",
  goTo: (host: string) => `Go to the verify page at ${host}`,
  sandbox: "Sandbox",
  frontTitle: "Test sign-ins for development",
  front: [
    html`This sandbox stands in for the providers, such as Microblog. It has test users, and no passwords.`,
    html`The command <code>npx hardhat identity dev</code> runs it on your computer. You don’t need to open it yourself: the verify page sends you here when you prove an account.`,
  ],
  guide: "Read more in the guide",
  lostTitle: "Page not found",
  lost: "The verify page sends you to the sandbox when you prove an account. Start at your app or at the verify page.",
  refusedTitle: "The sandbox refuses this request",
  refused: "The page that sent you here made a mistake. Go back and start again.",
  forDevelopers: "For its developers:",
};

export type SandboxTexts = typeof en;
