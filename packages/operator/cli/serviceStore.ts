import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readStoreSettings } from "@hardhat-identity/signer/settings";
import type { CredentialStore, ReadableStore } from "@hardhat-identity/store/credentials/credential";
import { readStore, type StoreOptions } from "@hardhat-identity/store/credentials/store";
import { requireStore } from "@hardhat-identity/store/database/operateStore";
import { withReadableErrors, withStore } from "../operations/withStore.ts";

/** How a service with this environment would open its store. */
export function readStoreOptions(): StoreOptions {
  const { masterSecret, ...settings } = readStoreSettings(process.env);
  if (masterSecret === undefined) {
    throw new InvalidInputError("IDENTITY_MASTER_SECRET is not set; the store needs it.");
  }
  return { ...settings, masterSecret };
}

/** Uses a store that is there already: a mistyped file is refused, and not created. */
export async function withServiceStore<T>(use: (store: CredentialStore) => Promise<T>): Promise<T> {
  const options = readStoreOptions();
  requireStore(options.databaseUrl);
  return await withStore(options, use);
}

/** Reads a store that is there already. Changes nothing. */
export const readServiceStore = (use: (store: ReadableStore) => Promise<void>): Promise<void> =>
  withReadableErrors(() => readStore(readStoreOptions(), use));
