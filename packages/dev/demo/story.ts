/** A claim of the story: somebody's device, with a wallet of its own, and what should come of it. */
interface StoryClaim {
  readonly person: "alice" | "bob";
  readonly device: "phone" | "laptop";
  /** Whether the person's account has been proven for this wallet before the story begins. */
  readonly isProven: boolean;
  /** How it ends when everything is as it should be: see `nameOutcome`. */
  readonly expected: string;
  /** The claim that has to have been made before. */
  readonly after?: StoryName;
}

export const storyNames = ["phone", "laptop", "bob"] as const;
export type StoryName = (typeof storyNames)[number];
export const isStory = (name: string): name is StoryName => storyNames.some((each) => each === name);

export const story: Readonly<Record<StoryName, StoryClaim>> = {
  phone: { person: "alice", device: "phone", isProven: false, expected: "admitted" },
  laptop: {
    person: "alice",
    device: "laptop",
    isProven: true,
    expected: "IdentityAlreadyUsed",
    after: "phone",
  },
  bob: { person: "bob", device: "phone", isProven: true, expected: "conditions_not_satisfied" },
};

/** The contract of the story. */
export const storyContract = "Airdrop";

/**
 * The wallets of a round. Each round has others, as long as the node has some: what was proven for a wallet stays proven.
 * The node's first account owns the registry, and the last one is Alice's phone where the story plays by itself: her
 * account has been proven for it.
 */
export function walletsOf(
  accounts: readonly string[],
  round: number,
  isPlayed = false,
): Readonly<Record<StoryName, string>> {
  const first = 1 + (round % countRounds(accounts)) * storyNames.length;
  const [phone = "", laptop = "", bob = ""] = accounts.slice(first);
  return { phone: isPlayed ? (accounts.at(-1) ?? "") : phone, laptop, bob };
}

/** For how many rounds there are accounts. */
export const countRounds = (accounts: readonly string[]): number =>
  Math.max(1, Math.floor((accounts.length - 2) / storyNames.length));

/** The accounts that are proven before the story begins, with person and wallet, for every round. */
export function listProven(
  accounts: readonly string[],
): readonly { person: StoryClaim["person"]; wallet: string }[] {
  const proven = storyNames.filter((name) => story[name].isProven);
  const ofRounds = Array.from({ length: countRounds(accounts) }, (_, round) =>
    proven.map((name) => ({ person: story[name].person, wallet: walletsOf(accounts, round)[name] })),
  );
  return [...ofRounds.flat(), { person: "alice", wallet: walletsOf(accounts, 0, true).phone }];
}
