import { type TraitWords, traitWords } from "../../content/traitWords.ts";
import type { Trouble } from "../trouble.ts";
import type { MomentWords } from "../words.ts";

/** The texts of both pages. */
export interface SharedTexts extends TraitWords, MomentWords {
  readonly language: string;
  readonly about: string;
  readonly privacy: string;
  readonly licence: string;
  readonly source: string;
  readonly account: string;
  readonly accountNumber: (number: number) => string;
  readonly developmentOnly: string;
  readonly developmentWallet: string;
  readonly unnamedWallet: string;
  readonly lookAtWallet: { readonly connect: string; readonly sign: string; readonly network: string };
  readonly troubles: Readonly<Record<Trouble, string>>;
  readonly last: {
    readonly title: string;
    readonly what: string;
    readonly report: string;
    readonly reload: string;
  };
}

export const en: SharedTexts = {
  language: "Language",
  about: "About",
  privacy: "Privacy",
  licence: "MIT license",
  source: "Source code",
  account: "Wallet account",
  accountNumber: (number) => `Account ${number}`,
  developmentOnly: "for development only",
  developmentWallet: "Development wallet",
  unnamedWallet: "This browser’s wallet",
  lookAtWallet: {
    connect: "Check your wallet: it is asking to connect.",
    sign: "Check your wallet: it is asking for your signature.",
    network: "Check your wallet: it is asking to switch networks.",
  },
  troubles: {
    refused: "You declined in your wallet. Nothing happened, and you can try again.",
    asksAlready: "Your wallet is still waiting for an answer. Open it, answer, and try again.",
    noAccounts: "Your wallet showed us no account. Choose one in the wallet and try again.",
    wallet: "Your wallet did not respond as expected. Open it, check whether it is locked, and try again.",
    node: "The local chain does not answer. Start it again if it has stopped, then try again.",
    unreachable: "The service cannot be reached. Check your connection and try again.",
    garbled:
      "We got an answer that we did not expect. The service may be restarting. Wait a moment and try again.",
    tooOften: "Too many attempts. Wait a minute and try again.",
    chain: "The service cannot reach the blockchain right now. Wait a moment and try again.",
    store: "The service cannot reach its database right now. Wait a moment and try again.",
    busy: "The service is busy. Wait a moment and try again.",
    internal: "Something went wrong in the service. Try again.",
    mismatch: "This page is out of date. Reload it.",
    page: "Something went wrong on this page. Reload it to continue where you were.",
  },
  last: {
    title: "This page stopped working",
    what: "This is our fault, not yours. Reload the page to continue where you were.",
    report: "If it happens again, report this:",
    reload: "Reload the page",
  },
  ...traitWords.en,
  today: (time) => `today at ${time}`,
  yesterday: (time) => `yesterday at ${time}`,
  onDay: (day, time) => `on ${day} at ${time}`,
};
