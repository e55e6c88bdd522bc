import { parseArgs } from "node:util";
import { plural } from "../../console/plural.ts";
import { print } from "../../console/print.ts";
import { showProgress } from "../../console/progress.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { moveStore } from "../index.ts";
import { describingFailures } from "../operations/withStore.ts";
import { readSecretArgument, readStoreOptions } from "./storeSettings.ts";

/** `identity-signer move <from> <to>`: answers the exit code. */
export async function move(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [from, to, ...others] = positionals;
  if (from === undefined || to === undefined || others.length > 0) {
    throw new InvalidInputError(
      "move is followed by two databases: the one that has the store, and an empty one.",
    );
  }
  const options = { ...readStoreOptions(process.env), databaseUrl: readUrl("<from>", from) };
  const progress = showProgress((rows: number) => `Moved ${plural(rows, "row")} so far.`);
  const counts = await describingFailures(() => moveStore(options, readUrl("<to>", to), progress));
  const moved = Object.entries(counts).map(([table, rows]) => `${rows} in ${table}`);
  print(`Moved, and counted again: ${moved.join(", ")}. Set IDENTITY_DATABASE_URL to the new database.`);
  return 0;
}

/** A URL, or a file with one, which may have a password. */
const readUrl = (name: string, given: string): string =>
  /^(file|postgres(ql)?):/i.test(given) ? given : readSecretArgument(name, given);
