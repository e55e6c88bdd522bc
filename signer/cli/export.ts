import { parseArgs } from "node:util";
import { reportExport } from "./moveStore.ts";
import { print } from "./print.ts";
import { requireOption } from "./requireOption.ts";
import { readStoreOptions } from "./storeSettings.ts";

/** `identity-signer export --to <file>`: answers the exit code. */
export async function exportCredentials(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: "string" } } });
  print((await reportExport(readStoreOptions(process.env), requireOption("--to", values.to))).text);
  return 0;
}
