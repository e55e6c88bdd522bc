import { parseArgs } from "node:util";
import { print } from "../../console/print.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { backUpStore, readStoreSettings } from "../index.ts";

/** `identity-signer backup --to <file>`: answers the exit code. */
export async function backup(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: { type: "string" } } });
  if (!values.to) throw new InvalidInputError("--to is missing; it must be the path of a new file.");
  await backUpStore(readStoreSettings(process.env).databaseUrl, values.to);
  print(`Backed up to ${values.to}.`);
  return 0;
}
