import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readAuditOption, withStore } from "../../../signer/cli/storeSettings.ts";
import { type CredentialStore, readStoreSettings, type StoreOptions } from "../../../signer/index.ts";
import { findStack, type RunningStack } from "./running.ts";

/**
 * How the credential store is opened that a task works on: that of `IDENTITY_DATABASE_URL`, with its secrets, or else
 * that of the running `identity dev`.
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

/** The credential store that a task works on. It is opened directly; no HTTP route leads to it. */
export async function withCredentialStore<T>(
  port: number | undefined,
  use: (store: CredentialStore, stack: RunningStack | undefined) => Promise<T>,
): Promise<T> {
  const { options, stack } = findCredentialStore(port);
  return await withStore(options, (store) => use(store, stack));
}

/** The store that the environment names, if it names one. */
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
