import type { CredentialStore, ReadableStore } from "@hardhat-identity/store/credentials/credential";
import { readStore } from "@hardhat-identity/store/credentials/store";
import { requireStore } from "@hardhat-identity/store/database/operateStore";
import { withReadableErrors } from "../operations/withReadableErrors.ts";
import { withStore } from "../operations/withStore.ts";
import { readStoreOptions } from "./storeSettings.ts";

/** Uses a store that is there already: a mistyped file is refused, and not created. */
export async function withServiceStore<T>(use: (store: CredentialStore) => Promise<T>): Promise<T> {
  const options = readStoreOptions();
  requireStore(options.databaseUrl);
  return await withStore(options, use);
}

/** Reads a store that is there already. Changes nothing. */
export const readServiceStore = (use: (store: ReadableStore) => Promise<void>): Promise<void> =>
  withReadableErrors(() => readStore(readStoreOptions(), use));
