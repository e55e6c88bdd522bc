import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readAuditOption, withStore } from "../../../signer/cli/storeSettings.ts";
import { type CredentialStore, readStoreSettings, type StoreOptions } from "../../../signer/index.ts";
import { findStack, type RunningStack } from "./running.ts";

/** Milliseconds that a task waits until deleted or replaced data has left the database's files. */
export const erasurePatience = 5_000;

/** The message of a task if that time was not enough. */
export const notErasedYet =
  " It is still in the store's log, because another program is reading the store; a running service erases it within a minute after that program ends, otherwise the next program that opens the store does.";

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
  const { databaseUrl, masterSecret, ...secrets } = readStoreSettings(process.env);
  if (databaseUrl === undefined) return undefined;
  if (masterSecret === undefined) {
    throw new InvalidInputError(
      "IDENTITY_DATABASE_URL is set, but IDENTITY_MASTER_SECRET is not; the store needs both.",
    );
  }
  return { ...secrets, databaseUrl, masterSecret, ...readAuditOption(process.env) };
}
