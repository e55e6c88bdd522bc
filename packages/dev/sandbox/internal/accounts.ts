import type { ProviderName } from "@hardhat-identity/protocol/catalogue";
import type { Traits } from "@hardhat-identity/protocol/traits";
import type { Failure } from "./failures.ts";

/** An account at a sandbox provider. */
export interface SandboxAccount {
  readonly accountId: string;
  /** The person's name on the sandbox's pages. */
  readonly name: string;
  readonly traits: Traits;
  /** How the provider fails for it. Such an account is not listed. */
  readonly failure?: Failure;
}

/** The accounts at one provider, by account id. */
export type SandboxAccounts = Map<string, SandboxAccount>;

const people: Partial<Record<ProviderName, readonly SandboxAccount[]>> = {
  microblog: [
    person("1001", "Alice", { followers: "1200", verified: "true", verified_type: "blue" }),
    person("1002", "Bob", { followers: "12", verified: "false", verified_type: "none" }),
    // Above 2^53, as real ids may be.
    person("9007199254740993", "Carol", { followers: "310000", verified: "true", verified_type: "business" }),
  ],
  exchange: [
    person("2001", "Alice", { exchange_membership_active: "true", exchange_membership_billed: "true" }),
    person("2002", "Bob", { exchange_membership_active: "false", exchange_membership_billed: "false" }),
  ],
  photo_social: [
    person("3001", "Alice", { followers_count: "5400", username: "alice" }),
    person("3002", "Bob", { followers_count: "7", username: "bob" }),
  ],
  short_video: [
    person("4001", "Alice", {
      follower_count: "88000",
      following_count: "120",
      likes_count: "910000",
      video_count: "64",
    }),
    person("4002", "Bob", { follower_count: "3", following_count: "40", likes_count: "9", video_count: "0" }),
  ],
};

/** The accounts that a new sandbox has at a provider. */
export function createAccounts(provider: ProviderName): SandboxAccounts {
  const accounts = people[provider] ?? [person("1", "Alice", {}), person("2", "Bob", {})];
  return new Map(accounts.map((account) => [account.accountId, account]));
}

function person(accountId: string, name: string, traits: Traits): SandboxAccount {
  return { accountId, name, traits };
}
