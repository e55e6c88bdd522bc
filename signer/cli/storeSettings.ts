import { InvalidInputError } from "../../protocol/errors.ts";
import {
  type CredentialStore,
  demandStore,
  describeStoreFailure,
  openCredentialStore,
  readStoreSettings,
  type StoreOptions,
} from "../index.ts";

/** The store that a service with this environment would use. */
export const readStoreUrl = (environment: NodeJS.ProcessEnv): string =>
  readStoreSettings(environment).databaseUrl ?? "file:identity.sqlite";

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
  return {
    ...settings,
    databaseUrl: readStoreUrl(environment),
    masterSecret,
    // What a command changes is entered in the audit trail as the service would.
    ...(environment.IDENTITY_AUDIT === "off" && { audit: "off" }),
  };
}

/** Uses a store, and closes it. */
export async function withStore<T>(
  options: StoreOptions,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> {
  const store = await openCredentialStore(options);
  try {
    return await describingFailures(() => use(store));
  } finally {
    await store.close();
  }
}

/** Uses a store that is there already: a mistyped file is refused, and not created. */
export async function withExistingStore<T>(
  options: StoreOptions,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> {
  demandStore(options.databaseUrl);
  return await withStore(options, use);
}

/** Has what a store fails with told without a stack trace. */
export async function describingFailures<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeStoreFailure(error);
  }
}
