// The providers and their traits. A new provider begins here; test/vectors/ has what must never change.
/** How a trait's value is read and compared. */
export type TraitType = "int" | "bool" | "string";

/** Every operator name that a condition may carry; `in` is reserved: no condition in the catalogue uses it. */
export const operators = ["eq", "gt", "gte", "lt", "lte", "in"] as const;
export type Operator = (typeof operators)[number];

/** The type of one trait and the operators that its conditions may use. */
export interface CatalogueEntry {
  readonly type: TraitType;
  readonly operators: readonly Operator[];
}

const int: CatalogueEntry = { type: "int", operators: ["eq", "gt", "gte", "lt", "lte"] };
const bool: CatalogueEntry = { type: "bool", operators: ["eq"] };
const string: CatalogueEntry = { type: "string", operators: ["eq"] };

const entries = {
  microblog: { followers: int, verified: bool, verified_type: string },
  exchange: { exchange_membership_active: bool, exchange_membership_billed: bool },
  photo_social: { followers_count: int, username: string },
  short_video: {
    follower_count: int,
    following_count: int,
    likes_count: int,
    video_count: int,
  },
} satisfies Record<string, Record<string, CatalogueEntry>>;

/** The providers that a policy may name. */
export type ProviderName = keyof typeof entries;

/** Provider → condition name → type and operators: everything that a policy may require. */
export const catalogue: ReadonlyMap<string, ReadonlyMap<string, CatalogueEntry>> = new Map(
  Object.entries(entries).map(([provider, traits]) => [provider, new Map(Object.entries(traits))]),
);
