import { pseudonym } from "../../protocol/identityHash.ts";
import { deriveKey } from "../../protocol/keys.ts";
import { type CredentialStore, everyCredential } from "../../signer/index.ts";
import { bytesOf } from "../curve.ts";
import { createCredential, createPeople, type Person, provider, traits } from "../environment/people.ts";
import { type Account, createLedger, type Ledger } from "./ledger.ts";

/** The people who make requests, and the ledger of their possible answers. */
export interface Participants {
  readonly ledger: Ledger;
  /** Returns a random person with a lasting account, with an insufficient one, with none, or with changing ones. */
  choose(): Person;
  /** Adds a new person, without a write yet. */
  add(): Person;
}

/** The number of recently added people to choose from. */
const recent = 200;

/** Writes accounts for three quarters of the people: sufficient for half of all people, insufficient for a quarter. */
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

/** Writes or erases a wallet's account, and records the acknowledgement. */
export async function write(store: CredentialStore, ledger: Ledger, wallet: string, account: Account) {
  const acknowledge = ledger.begin(wallet, account);
  if (account === undefined) await store.delete(wallet, provider);
  else await store.set(createCredential(wallet, account.id, account.isEnough ? traits : { followers: "1" }));
  acknowledge();
}

/** Returns the wallets whose stored account is neither the last acknowledged one nor one whose write began later. */
export async function findLost(store: CredentialStore, ledger: Ledger, secret: string): Promise<string[]> {
  const accountKey = deriveKey(bytesOf(secret), "account");
  const stored = new Map<string, string>();
  for await (const one of everyCredential(store)) stored.set(one.wallet, one.pseudonym);
  return ledger.wallets().filter((wallet) => {
    const right = ledger.since(wallet, ledger.settled(wallet));
    return !right.some(
      (account) =>
        (account && pseudonym({ accountKey, provider, accountId: account.id })) === stored.get(wallet),
    );
  });
}
