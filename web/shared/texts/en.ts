import type { Trouble } from "../trouble.ts";
import type { MomentWords, TraitWords } from "../words.ts";

/** What both pages say. */
export interface SharedTexts extends TraitWords, MomentWords {
  readonly language: string;
  readonly about: string;
  readonly privacy: string;
  readonly licence: string;
  readonly source: string;
  readonly account: string;
  readonly developmentOnly: string;
  readonly unnamedWallet: string;
  readonly noAccounts: string;
  readonly lookAtWallet: { readonly connect: string; readonly sign: string; readonly network: string };
  readonly troubles: Readonly<Record<Trouble, string>>;
}

export const en: SharedTexts = {
  language: "Language",
  about: "What this is",
  privacy: "Privacy",
  licence: "MIT licence",
  source: "Source code",
  account: "Account",
  developmentOnly: "for development only",
  unnamedWallet: "This browser’s wallet",
  noAccounts: "Your wallet showed us no account. Choose one in the wallet, and try again.",
  lookAtWallet: {
    connect: "Look at your wallet: it asks whether you want to connect.",
    sign: "Look at your wallet: it asks for your signature.",
    network: "Look at your wallet: it asks whether to change the network.",
  },
  troubles: {
    refused: "Your wallet says that you refused. Nothing happened; you can try again.",
    asksAlready: "Your wallet still has a question open. Open the wallet, answer it, and try again.",
    wallet: "Your wallet did not do it. Open it, see whether it is locked or waits for you, and try again.",
    node: "The local chain does not answer. Is it still running? Start it again, then try again.",
    unreachable: "The service cannot be reached. Check your connection, and try again.",
    garbled:
      "Something on the way to the service answered in its place, so it may be starting up or down. Wait a moment, and try again.",
    tooOften: "That was too often in a short time. Wait a minute, and try again.",
    chain: "The service cannot reach the blockchain right now. Wait a moment, and try again.",
    busy: "The service has too much to do right now. Wait a moment, and try again.",
    internal: "Something went wrong in the service. Nothing was stored; try again.",
  },
  traits: {
    followers: "Followers",
    verified: "Verified",
    verified_type: "Kind of verification",
    exchange_membership_active: "Membership is active",
    exchange_membership_billed: "Membership is paid for",
    followers_count: "Followers",
    username: "User name",
    follower_count: "Followers",
    following_count: "Follows",
    likes_count: "Likes",
    video_count: "Videos",
  },
  yes: "yes",
  no: "no",
  today: (time) => `today at ${time}`,
  yesterday: (time) => `yesterday at ${time}`,
  onDay: (day, time) => `on ${day} at ${time}`,
};
