import { type CredentialStore, everyCredential } from "../../signer/index.ts";
import { createPeople, type Person } from "../stage/people.ts";
import { policy, traits } from "../stage/policy.ts";
import { createIdentities } from "./identity.ts";
import { type Account, createLedger, type Ledger } from "./ledger.ts";

/** Who asks, and what is known of what they may be answered. */
export interface Crowd {
  readonly ledger: Ledger;
  /** Somebody: of those with an account for ever, with too little, with none, and those who are written about. */
  choose(): Person;
  /** Somebody new, whom nothing has been written about yet. */
  add(): Person;
}

const chance = (count: number) => Math.floor(Math.random() * count);

const pick = <T>(all: readonly T[]): T => {
  const one = all[chance(all.length)];
  if (one === undefined) throw new Error("There is nobody.");
  return one;
};

/** How many of those who came last are asked about. */
const recent = 200;

/** Gathers people, and writes what some of them have. */
export async function gatherCrowd(store: CredentialStore, size: number): Promise<Crowd> {
  const ledger = createLedger();
  const people = createPeople(size);
  const part = Math.ceil(size / 4);
  // The last of them never have anything.
  for (const [i, { wallet }] of people.slice(0, 3 * part).entries()) {
    await write(store, ledger, wallet, { id: `account of ${wallet}`, isEnough: i < 2 * part });
  }
  const added: Person[] = [];
  return {
    ledger,
    choose: () => (added.length > 0 && chance(3) === 0 ? pick(added.slice(-recent)) : pick(people)),
    add() {
      const [person] = createPeople(1) as [Person];
      added.push(person);
      return person;
    },
  };
}

/** Writes what a wallet has from now on, and notes it when it was acknowledged. */
export async function write(
  store: CredentialStore,
  ledger: Ledger,
  wallet: string,
  account: Account,
): Promise<void> {
  const acknowledge = ledger.begin(wallet, account);
  if (account === undefined) await store.delete(wallet, policy.provider);
  else {
    await store.set({
      wallet,
      provider: policy.provider,
      accountId: account.id,
      traits: account.isEnough ? traits : { followers: "1" },
      authenticatedAt: Math.floor(Date.now() / 1_000),
    });
  }
  acknowledge();
}

/** The wallets of which a store has something else than what was acknowledged last, or begun after that. */
export async function findLost(
  store: CredentialStore,
  ledger: Ledger,
  of: { secret: string; chainId: number },
): Promise<string[]> {
  const identities = createIdentities({ ...of, provider: policy.provider });
  const stored = new Map<string, string>();
  for await (const { wallet, pseudonym } of everyCredential(store)) stored.set(wallet, pseudonym);
  return ledger.wallets().filter((wallet) => {
    const right = ledger.since(wallet, ledger.settled(wallet));
    return !right.some((account) => (account && identities.pseudonym(account.id)) === stored.get(wallet));
  });
}
