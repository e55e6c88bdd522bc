import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readStoreOptions, withStore } from "../../../signer/cli/storeSettings.ts";
import { type CredentialStore, readStoreSettings, type StoreOptions } from "../../../signer/index.ts";
import { findStack, type RunningStack } from "./running.ts";

/**
 * Finds the credential store of a task: that of `IDENTITY_DATABASE_URL`, with its secrets, or else that of the running
 * `identity dev`.
 */
export function findCredentialStore(port: number | undefined): {
  options: StoreOptions;
  stack: RunningStack | undefined;
} {
  const operated = port === undefined ? readOperatedStore() : undefined;
  if (operated !== undefined) return { options: operated, stack: undefined };
  const stack = findStack(port);
  return {
    options: { databaseUrl: stack.databaseUrl, masterSecret: development.masterSecret },
    stack,
  };
}

/** Runs a function with the credential store of a task. The store is opened directly: no HTTP route exposes it. */
export async function withCredentialStore<T>(
  port: number | undefined,
  use: (store: CredentialStore, stack: RunningStack | undefined) => Promise<T>,
): Promise<T> {
  const { options, stack } = findCredentialStore(port);
  return await withStore(options, (store) => use(store, stack));
}

/** Reads the store's options from the environment, if it sets them. */
function readOperatedStore(): StoreOptions | undefined {
  const { databaseUrl, masterSecret } = readStoreSettings(process.env);
  if (databaseUrl === undefined) return undefined;
  if (masterSecret === undefined) {
    throw new InvalidInputError(
      "IDENTITY_DATABASE_URL is set, but IDENTITY_MASTER_SECRET is not; the store needs both.",
    );
  }
  return readStoreOptions(process.env);
}
