import { parseArgs } from "node:util";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { type MigrationState, openCredentialStore, readMigrations } from "../../../signer/index.ts";
import { readStoreSettings } from "./storeSettings.ts";

/** `identity-signer migrate [--status]`: answers the exit code, 1 where a migration is missing or unknown. */
export async function migrate(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { status: { type: "boolean" } } });
  const { databaseUrl, masterSecret } = readStoreSettings(process.env);
  if (!values.status) {
    if (masterSecret === undefined) {
      throw new InvalidInputError("IDENTITY_MASTER_SECRET is not set; the store needs it.");
    }
    await (await openCredentialStore({ databaseUrl, masterSecret })).close();
  }
  const migrations = await readMigrations(databaseUrl);
  for (const each of migrations) console.log(describe(each));
  return migrations.every(({ ranAt, isKnown }) => ranAt !== undefined && isKnown) ? 0 : 1;
}

function describe({ name, ranAt, isKnown }: MigrationState): string {
  if (ranAt === undefined) return `${name}  missing`;
  return `${name}  ran ${ranAt.toISOString()}${isKnown ? "" : "  of a later release"}`;
}
