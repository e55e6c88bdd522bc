import { requireOption } from "@hardhat-identity/console/options";
import { plural } from "@hardhat-identity/console/plural";
import { print, visibleLine } from "@hardhat-identity/console/print";
import { showProgress } from "@hardhat-identity/console/progress";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import {
  backUpStore,
  isPrivateKey,
  type MigrationState,
  migrateStore,
  readMigrations,
  requireSecretFile,
} from "@hardhat-identity/signer";
import { readStoreSettings } from "@hardhat-identity/signer/settings";
import { withReadableErrors } from "../operations/withStore.ts";
import { moveStore } from "../store/moveStore.ts";
import { reencryptStore } from "../store/reencryptStore.ts";
import { readStoreOptions } from "./serviceStore.ts";

/** The exit code is 1 where a migration is missing or unknown. */
export async function migrate({ status = false }: { status?: boolean }): Promise<number> {
  if (!status) await migrateStore(readStoreOptions());
  const migrations = await readMigrations(readStoreSettings(process.env).databaseUrl);
  for (const each of migrations) print(visibleLine(describeMigration(each)));
  return migrations.every(({ ranAt, isKnown }) => ranAt !== undefined && isKnown) ? 0 : 1;
}

function describeMigration({ name, ranAt, isKnown }: MigrationState): string {
  if (ranAt === undefined) return `${name}  missing`;
  return `${name}  ran ${ranAt.toISOString()}${isKnown ? "" : "  of a later release"}`;
}

export async function backup({ to }: { to?: string }): Promise<number> {
  const file = requireOption("--to", to, "the path of a new file");
  await backUpStore(readStoreSettings(process.env).databaseUrl, file);
  print(`Backed up to ${file}.`);
  return 0;
}

export async function move([from, to, ...others]: readonly string[]): Promise<number> {
  if (from === undefined || to === undefined || others.length > 0) {
    throw new InvalidInputError(
      "move is followed by two databases: the one that has the store, and an empty one.",
    );
  }
  const options = { ...readStoreOptions(), databaseUrl: readUrl("<from>", from) };
  const progress = showProgress((rows: number) => `Moved ${plural(rows, "row")} so far.`);
  const counts = await withReadableErrors(() => moveStore(options, readUrl("<to>", to), progress));
  const moved = Object.entries(counts).map(([table, rows]) => `${rows} in ${table}`);
  print(`Moved: ${moved.join(", ")}. Set IDENTITY_DATABASE_URL to the new database.`);
  return 0;
}

/** A URL, or a file with one, which may have a password. */
const readUrl = (name: string, given: string): string =>
  /^(file|postgres(ql)?):/i.test(given) ? given : readSecret(name, given);

export async function reencrypt({ to }: { to?: string }): Promise<number> {
  const options = readStoreOptions();
  const next = readSecret("--to", requireOption("--to", to, "a file with the next secret"));
  if (!isPrivateKey(next)) {
    throw new InvalidInputError("--to names a file that does not hold 0x and 64 hex digits (32 bytes).");
  }
  const progress = showProgress((done: number) => `Re-encrypted ${plural(done, "credential")} so far.`);
  const { credentials, keyId } = await withReadableErrors(() => reencryptStore(options, next, progress));
  const isMaster = next.toLowerCase() === options.masterSecret.toLowerCase();
  print(
    `Re-encrypted ${plural(credentials, "credential")}: the store's key id is ${keyId}. ${isMaster ? "Unset IDENTITY_ENCRYPTION_SECRET" : "Set IDENTITY_ENCRYPTION_SECRET to this secret"} before you start the service.`,
  );
  return 0;
}

/** Reads a secret from the file that an argument names: everybody can read a command line. */
const readSecret = (name: string, file: string): string => requireSecretFile(name, file).trim();
