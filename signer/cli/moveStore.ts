import { parseArgs } from "node:util";
import { exportStore, type Imported, importStore, type Moved, type StoreOptions } from "../index.ts";
import { requireOption, text } from "./options.ts";
import { plural } from "./plural.ts";
import { showProgress } from "./progress.ts";
import { type Report, tell } from "./report.ts";
import { describingFailures, readStoreOptions, withExistingStore } from "./storeSettings.ts";

/** `identity-signer export --to <file>`: answers the exit code. */
export async function exportCredentials(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: text } });
  return tell(await reportExport(readStoreOptions(process.env), requireOption("--to", values.to)));
}

/** `identity-signer import --from <file>`: answers the exit code. */
export async function importCredentials(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { from: text } });
  return tell(await reportImport(readStoreOptions(process.env), requireOption("--from", values.from)));
}

/** Exports a store, tells how far it is, and reports what is in the file. */
export async function reportExport(options: StoreOptions, to: string): Promise<Report> {
  const exported = await withExistingStore(options, (store) =>
    exportStore(store, {
      to,
      masterSecret: options.masterSecret,
      progress: showProgress((moved: Moved) => `Exported ${count(moved)} so far.`),
    }),
  );
  return { json: { to, ...exported }, text: `Exported ${count(exported)} to ${to}.` };
}

/** Imports an export, tells how far it is, and reports what came of it. */
export async function reportImport(options: StoreOptions, from: string): Promise<Report> {
  const progress = showProgress(
    (moved: Moved, of: Moved) =>
      `Imported ${moved.credentials} of ${plural(of.credentials, "credential")} so far.`,
  );
  const imported = await describingFailures(() => importStore({ ...options, from, progress }));
  return { json: { from, ...imported }, text: `Imported from ${from}: ${describe(imported)}` };
}

const count = ({ credentials, pins }: Moved) =>
  `${plural(credentials, "credential")} and ${plural(pins, "pin")}`;

const describe = ({ credentials, pins }: Imported) =>
  `${plural(credentials.added, "new credential")}, ${credentials.replaced} in place of older ones, ${credentials.kept} kept as the store had them; ${plural(pins.added, "new pin")}, ${pins.kept} kept.`;
