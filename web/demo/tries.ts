import type { DeviceName } from "./people.ts";

/** One thing to try: a device claims, and this is what should come of it. */
export interface Try {
  readonly device: DeviceName;
  /** The example contract at which it claims. */
  readonly contract: string;
  /** How it ends when everything is as it should be: see `nameOutcome`. */
  readonly expected: string;
  /** The try that has to have been made before. */
  readonly after?: TryName;
  /** Whether the contract is opened anew first, so that what was proven before is too old for it. */
  readonly opensAnew?: true;
  /** Whether the block is held back, so that the identity can be seen before it is mined. */
  readonly holds?: true;
}

/** The story, and what developers ask next. */
export const story = ["first", "second", "other"] as const;
export const more = ["held", "vote", "tooOld", "batch"] as const;
export const isStory = (name: string): boolean => story.some((each) => each === name);
export type TryName = (typeof story)[number] | (typeof more)[number];

export const tries: Readonly<Record<TryName, Try>> = {
  first: { device: "alicePhone", contract: "Airdrop", expected: "admitted" },
  second: {
    device: "aliceLaptop",
    contract: "Airdrop",
    expected: "IdentityAlreadyUsed",
    after: "first",
  },
  other: { device: "bobPhone", contract: "Airdrop", expected: "conditions_not_satisfied" },
  held: { device: "alicePhone", contract: "MembershipPass", expected: "admitted", holds: true },
  vote: { device: "alicePhone", contract: "Ballot", expected: "admitted" },
  tooOld: {
    device: "alicePhone",
    contract: "Ballot",
    expected: "needs_reauth",
    after: "vote",
    opensAnew: true,
  },
  batch: { device: "alicePhone", contract: "VerifiedVault", expected: "admitted" },
};
