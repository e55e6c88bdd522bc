import { parseArgs } from "node:util";
import { requireOption } from "../console/options.ts";
import { reportImport } from "./moveStore.ts";
import { readStoreOptions } from "./storeSettings.ts";

/** `identity-signer import --from <file>`: answers the exit code. */
export async function importCredentials(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { from: { type: "string" } } });
  console.log((await reportImport(readStoreOptions(process.env), requireOption("--from", values.from))).text);
  return 0;
}
