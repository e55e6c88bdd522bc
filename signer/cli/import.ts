import { parseArgs } from "node:util";
import { reportImport } from "./moveStore.ts";
import { print } from "./print.ts";
import { requireOption } from "./requireOption.ts";
import { readStoreOptions } from "./storeSettings.ts";

/** `identity-signer import --from <file>`: answers the exit code. */
export async function importCredentials(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { from: { type: "string" } } });
  print((await reportImport(readStoreOptions(process.env), requireOption("--from", values.from))).text);
  return 0;
}
