import { InvalidInputError } from "../../protocol/errors.ts";
import {
  type CredentialStore,
  type ReadableStore,
  readStore,
  readStoreSettings,
  requireStore,
  type StoreOptions,
} from "../index.ts";
import { describingFailures, withStore } from "../operations/withStore.ts";

/**
 * How a service with this environment would open its store.
 *
 * @throws InvalidInputError
 */
export function readStoreOptions(environment: NodeJS.ProcessEnv): StoreOptions {
  const { masterSecret, ...settings } = readStoreSettings(environment);
  if (masterSecret === undefined) {
    throw new InvalidInputError("IDENTITY_MASTER_SECRET is not set; the store needs it.");
  }
  return { ...settings, masterSecret };
}

/** Uses a store that is there already: a mistyped file is refused, and not created. */
export async function withExistingStore<T>(
  options: StoreOptions,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> {
  requireStore(options.databaseUrl);
  return await withStore(options, use);
}

/** Reads a store that is there already. Changes nothing. */
export const withReadableStore = <T>(
  options: StoreOptions,
  use: (store: ReadableStore) => Promise<T>,
): Promise<T> => describingFailures(() => readStore(options, use));
