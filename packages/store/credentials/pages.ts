import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { type Kysely, sql } from "kysely";
import { itemsOf, pageByKey } from "../database/paging.ts";
import type { StoreAccess, StoreIdentity } from "../database/properties.ts";
import type { Schema } from "../database/schema.ts";
import { createSeal, type Seal } from "../database/seal.ts";
import {
  type Credential,
  type CredentialFilter,
  type CredentialStore,
  type ListedCredential,
  readWallet,
} from "./credential.ts";

/** Creates the seal of a store's credentials. */
export function credentialSeal(
  { masterSecret, encryptionSecret = masterSecret }: StoreAccess,
  store: StoreIdentity,
): Seal {
  return createSeal(deriveKey(parseHex(encryptionSecret), "credential"), "c1", store);
}

/** Lists a page; see {@link CredentialStore.list}. */
export async function listCredentials(
  db: Kysely<Schema>,
  seal: Seal,
  { wallet, after }: CredentialFilter = {},
): Promise<ListedCredential[]> {
  const ofWallet = wallet === undefined ? {} : { where: sql`wallet = ${readWallet(wallet)}` };
  const rows = await pageByKey(db, "credentials", ofWallet)({ after });
  return rows.map((row) => ({ wallet: row.wallet, provider: row.provider, ...openRow(row, seal) }));
}

/** @throws InvalidInputError that names a row which was altered, or is another store's. */
export function openRow({ wallet, provider, sealed }: Schema["credentials"], seal: Seal): Credential {
  try {
    return seal.open([wallet, provider], sealed) as Credential;
  } catch {
    const place = JSON.stringify([wallet, provider].map((text) => String(text).slice(0, 64)));
    throw new InvalidInputError(
      `The credential ${place} cannot be opened: it was altered, or is from another store. Delete it with identity-signer credential delete, or restore a backup.`,
    );
  }
}

/** Reads every credential of a store, or of one wallet in it, in order, with one page in memory at a time. */
export const everyCredential = (
  { list }: Pick<CredentialStore, "list">,
  filter: { wallet?: string } = {},
): AsyncGenerator<ListedCredential> => itemsOf<ListedCredential>((after) => list({ ...filter, ...after }));
