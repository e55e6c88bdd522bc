import { type CredentialStore, everyCredential } from "../../signer/index.ts";
import { createCredential, createPeople, type Person, provider, traits } from "../environment/people.ts";
import { createIdentities } from "./identity.ts";
import { type Account, createLedger, type Ledger } from "./ledger.ts";

/** Who asks, and what is known of what they may be answered. */
export interface Participants {
  readonly ledger: Ledger;
  /** Somebody: of those with an account for ever, with too little, with none, and those who are written about. */
  choose(): Person;
  /** Somebody new, whom nothing has been written about yet. */
  add(): Person;
}

/** How many of those who came last are asked about. */
const recent = 200;

/** Writes what three quarters of the people have: half of all have enough, and a quarter too little. */
export async function createParticipants(
  store: CredentialStore,
  people: readonly Person[],
): Promise<Participants> {
  const ledger = createLedger();
  const part = Math.ceil(people.length / 4);
  for (const [i, { wallet }] of people.slice(0, 3 * part).entries()) {
    await write(store, ledger, wallet, { id: `account of ${wallet}`, isEnough: i < 2 * part });
  }
  const added: Person[] = [];
  return {
    ledger,
    choose() {
      const all = added.length > 0 && Math.random() < 1 / 3 ? added.slice(-recent) : people;
      return all[Math.floor(Math.random() * all.length)] as Person;
    },
    add() {
      const [person] = createPeople(1) as [Person];
      added.push(person);
      return person;
    },
  };
}

/** Writes what a wallet has from now on, and notes it when it was acknowledged. */
export async function write(store: CredentialStore, ledger: Ledger, wallet: string, account: Account) {
  const acknowledge = ledger.begin(wallet, account);
  if (account === undefined) await store.delete(wallet, provider);
  else await store.set(createCredential(wallet, account.id, account.isEnough ? traits : { followers: "1" }));
  acknowledge();
}

/** The wallets of which a store has something else than what was acknowledged last, or begun after that. */
export async function findLost(
  store: CredentialStore,
  ledger: Ledger,
  of: { secret: string; chainId: number },
): Promise<string[]> {
  const identities = createIdentities({ ...of, provider });
  const stored = new Map<string, string>();
  for await (const { wallet, pseudonym } of everyCredential(store)) stored.set(wallet, pseudonym);
  return ledger.wallets().filter((wallet) => {
    const right = ledger.since(wallet, ledger.settled(wallet));
    return !right.some((account) => (account && identities.pseudonym(account.id)) === stored.get(wallet));
  });
}
