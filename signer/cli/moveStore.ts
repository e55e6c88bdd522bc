import { exportStore, type Imported, importStore, type Moved, type StoreOptions } from "../index.ts";
import { showProgress } from "./progress.ts";
import { describingFailures, withExistingStore } from "./storeSettings.ts";

/** What came of it, for scripts and for people; this runs without Hardhat, and so without its `Report`. */
interface Moving {
  readonly json: object;
  readonly text: string;
}

/** Exports a store, tells how far it is, and reports what is in the file. */
export async function reportExport(options: StoreOptions, to: string): Promise<Moving> {
  const exported = await withExistingStore(options, (store) =>
    exportStore(store, {
      to,
      masterSecret: options.masterSecret,
      progress: showProgress((moved: Moved) => `Exported ${count(moved)}.`),
    }),
  );
  return { json: { to, ...exported }, text: `Exported ${count(exported)} to ${to}.` };
}

/** Imports an export, tells how far it is, and reports what came of it. */
export async function reportImport(options: StoreOptions, from: string): Promise<Moving> {
  const progress = showProgress(
    (moved: Moved, of: Moved) => `Imported ${moved.credentials} of ${of.credentials} credentials.`,
  );
  const imported = await describingFailures(() => importStore({ ...options, from, progress }));
  return { json: { from, ...imported }, text: `Imported from ${from}: ${describe(imported)}` };
}

const count = ({ credentials, pins }: Moved) => `${credentials} credentials and ${pins} pins`;

const describe = ({ credentials, pins }: Imported) =>
  `${credentials.added} new credentials, ${credentials.replaced} in place of older ones, ${credentials.kept} kept as the store had them; ${pins.added} new pins, ${pins.kept} kept.`;
