import { parseArgs } from "node:util";
import { print, visibleLine } from "../../console/print.ts";
import { type MigrationState, migrateStore, readMigrations, readStoreSettings } from "../index.ts";
import { readStoreOptions } from "./storeSettings.ts";

/** `identity-signer migrate [--status]`: answers the exit code, 1 where a migration is missing or unknown. */
export async function migrate(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { status: { type: "boolean" } } });
  if (!values.status) await migrateStore(readStoreOptions(process.env));
  const migrations = await readMigrations(readStoreSettings(process.env).databaseUrl);
  for (const each of migrations) print(visibleLine(describe(each)));
  return migrations.every(({ ranAt, isKnown }) => ranAt !== undefined && isKnown) ? 0 : 1;
}

function describe({ name, ranAt, isKnown }: MigrationState): string {
  if (ranAt === undefined) return `${name}  missing`;
  return `${name}  ran ${ranAt.toISOString()}${isKnown ? "" : "  of a later release"}`;
}
