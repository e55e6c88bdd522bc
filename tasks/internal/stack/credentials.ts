import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import {
  type CredentialStore,
  openCredentialStore,
  readDatabaseUrl,
  readSecretFiles,
} from "../../../signer/index.ts";
import { readAuditOption } from "../operate/storeSettings.ts";
import { findStack, type RunningStack } from "./running.ts";

/** Milliseconds that a task waits for what it deleted or replaced to leave the database's files. */
export const erasurePatience = 5_000;

/** What a task says when it waited in vain. */
export const notErasedYet =
  " It still stands in the store's log, which another program reads; a running service erases it within a minute of that program's end, or else whoever opens the store next.";

/**
 * The credential store that a task works on: that of `IDENTITY_DATABASE_URL`, with `IDENTITY_MASTER_SECRET`, or else
 * that of the running `identity dev`. It is opened directly; no HTTP route leads to it.
 */
export async function withCredentialStore<T>(
  port: number | undefined,
  use: (store: CredentialStore, stack: RunningStack | undefined) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: old, ...environment } = port === undefined ? readEnvironment() : process.env;
  const masterSecret = environment.IDENTITY_MASTER_SECRET;
  // Without a master secret, what has the old name is another app's: no store was ever opened by that alone.
  const named = masterSecret ? { ...environment, DATABASE_URL: old } : environment;
  const operated = port === undefined ? readDatabaseUrl(named) : undefined;
  if (operated !== undefined && !masterSecret) {
    throw new InvalidInputError(
      "IDENTITY_DATABASE_URL is set, but IDENTITY_MASTER_SECRET is not; the store needs both.",
    );
  }
  const stack = operated === undefined ? findStack(port) : undefined;
  const store = await openCredentialStore({
    databaseUrl: operated ?? stack?.databaseUrl ?? "",
    masterSecret: (operated && masterSecret) || development.masterSecret,
    ...(operated === undefined ? {} : readAuditOption(process.env)),
  });
  try {
    return await use(store, stack);
  } finally {
    await store.close();
  }
}

function readEnvironment(): NodeJS.ProcessEnv {
  const { env, problems } = readSecretFiles(process.env, ["IDENTITY_DATABASE_URL", "IDENTITY_MASTER_SECRET"]);
  if (problems.length === 0) return env;
  throw new InvalidInputError(`The store's settings are not valid:\n${problems.join("\n")}`);
}
