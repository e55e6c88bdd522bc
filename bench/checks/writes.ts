import { deriveKey } from "../../packages/protocol/keys.ts";
import { pseudonym } from "../../packages/protocol/protocolHashes.ts";
import { type CredentialStore, everyCredential } from "../../signer/index.ts";
import { createCredential, createPeople, provider } from "../environment/people.ts";
import { bytesOf } from "../load/curve.ts";

/** Writes of credentials, and a memory of those that the store has acknowledged. */
export interface Writes {
  /** Returns a function that writes, replaces or erases the credential of one of some people of its own. */
  startWriter(): () => Promise<void>;
  /** Returns the number of acknowledged writes. */
  count(): number;
  /** Returns the wallets whose stored account is neither the last acknowledged one nor one whose write began later. */
  findLost(): Promise<string[]>;
}

/** @param secret The master secret of the store, 32 bytes hex. */
export function createWrites(store: CredentialStore, secret: string): Writes {
  /** Wallet → the ids of the accounts that it may have; undefined for none. A wallet has one writer at a time. */
  const possible = new Map<string, Set<string | undefined>>();
  let acknowledged = 0;

  async function write(wallet: string, accountId: string | undefined): Promise<void> {
    possible.set(wallet, (possible.get(wallet) ?? new Set([undefined])).add(accountId));
    if (accountId === undefined) await store.delete(wallet, provider);
    else await store.set(createCredential(wallet, accountId));
    acknowledged++;
    possible.set(wallet, new Set([accountId]));
  }

  return {
    startWriter() {
      let wallets: string[] = [];
      let count = 0;
      return () => {
        // Two of three writes replace or erase an earlier credential.
        const isNew = count % 3 === 0;
        if (isNew) wallets = [...wallets.slice(-30), ...createPeople(1).map(({ wallet }) => wallet)];
        const wallet = wallets[isNew ? wallets.length - 1 : Math.floor(Math.random() * wallets.length)] ?? "";
        return write(wallet, count++ % 6 === 2 ? undefined : `${wallet} ${count}`);
      };
    },
    count: () => acknowledged,
    async findLost() {
      const accountKey = deriveKey(bytesOf(secret), "account");
      const stored = new Map<string, string>();
      for await (const one of everyCredential(store)) stored.set(one.wallet, one.pseudonym);
      const isStored = (wallet: string, accountId: string | undefined) =>
        (accountId && pseudonym({ accountKey, provider, accountId })) === stored.get(wallet);
      return [...possible].flatMap(([wallet, ids]) =>
        [...ids].some((id) => isStored(wallet, id)) ? [] : wallet,
      );
    },
  };
}
