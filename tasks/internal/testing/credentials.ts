import { catalogue } from "@hardhat-identity/protocol/catalogue";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { readTypedTraits, type Traits, type TraitValues } from "@hardhat-identity/protocol/traits";
import {
  type AddressLike,
  checkMembers,
  readAddress,
  readSeconds,
  readText,
  readTraitValues,
  type Seconds,
} from "./arguments.ts";

/** The account that a person has proven. */
export interface TestCredential {
  /** The account's provider, such as `microblog`. */
  readonly provider: string;
  /** The account's traits. */
  readonly traits: TraitValues;
  /** The person's wallets. All of them are the same identity. */
  readonly wallets: readonly AddressLike[];
  /** Time when the account was last proven, unix seconds. Defaults to the chain's current time. */
  readonly authenticatedAt?: Seconds | undefined;
}

/** People by name. A name is the same identity as in `mint`. */
export type TestCredentials = Readonly<Record<string, TestCredential>>;

/** A credential for the store, with `authenticatedAt` if the test gave it. */
export interface ReadCredential {
  readonly wallet: Hex;
  readonly provider: string;
  readonly accountId: string;
  readonly traits: Traits;
  readonly authenticatedAt: number | undefined;
}

/** Reads the people of a test into one credential per wallet. */
export function readCredentials(credentials: unknown): ReadCredential[] {
  if (typeof credentials !== "object" || credentials === null || Array.isArray(credentials)) {
    throw new InvalidInputError(
      `credentials must be people by name, such as ` +
        `{ alice: { provider: "microblog", traits: { followers: 1200 }, wallets: [wallet] } }, got ${describeValue(credentials)}.`,
    );
  }
  const read = Object.entries(credentials).flatMap(([name, credential]) => readPerson(name, credential));
  const owners = new Map<string, string>();
  for (const { wallet, provider, accountId } of read) {
    const owner = owners.get(wallet + provider) ?? accountId;
    if (owner !== accountId) {
      throw new InvalidInputError(
        `${accountId} and ${owner} both have the wallet ${wallet} at ${provider}; a wallet has one account per provider.`,
      );
    }
    owners.set(wallet + provider, accountId);
  }
  return read;
}

function readPerson(name: string, credential: Partial<TestCredential>): ReadCredential[] {
  const accountId = readText("A person's name", name, "a text of at least one character");
  checkMembers(name, credential, ["provider", "traits", "wallets", "authenticatedAt"]);
  const { wallets, authenticatedAt } = credential;
  const providers = [...catalogue.keys()].join(", ");
  const provider = readText(`${name}.provider`, credential.provider, `one of ${providers}`);
  if (!Array.isArray(wallets) || wallets.length === 0) {
    throw new InvalidInputError(
      `${name}.wallets must be an array of at least one wallet, got ${describeValue(wallets)}.`,
    );
  }
  const shared = {
    provider,
    accountId,
    traits: readTypedTraits(provider, readTraitValues(`${name}.traits`, credential.traits)),
    authenticatedAt:
      authenticatedAt === undefined ? undefined : readSeconds(`${name}.authenticatedAt`, authenticatedAt),
  };
  return wallets.map((wallet, i) => ({ ...shared, wallet: readAddress(`${name}.wallets[${i}]`, wallet) }));
}
