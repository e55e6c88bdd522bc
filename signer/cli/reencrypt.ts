import { parseArgs } from "node:util";
import { requireOption, text } from "../../console/options.ts";
import { plural } from "../../console/plural.ts";
import { print } from "../../console/print.ts";
import { showProgress } from "../../console/progress.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { isPrivateKey, reencryptStore } from "../index.ts";
import { describingFailures } from "../operations/withStore.ts";
import { readSecretArgument, readStoreOptions } from "./storeSettings.ts";

/** `identity-signer re-encrypt --to <file>`: answers the exit code. */
export async function reencrypt(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: text } });
  const options = readStoreOptions(process.env);
  const next = readNextSecret(requireOption("--to", values.to, "a file with the next secret"));
  const progress = showProgress((done: number) => `Re-encrypted ${plural(done, "credential")} so far.`);
  const { credentials, keyId } = await describingFailures(() => reencryptStore(options, next, progress));
  const isMaster = next.toLowerCase() === options.masterSecret.toLowerCase();
  print(
    `Re-encrypted ${plural(credentials, "credential")}: the store's key id is ${keyId}. ${isMaster ? "Unset IDENTITY_ENCRYPTION_SECRET" : "Set IDENTITY_ENCRYPTION_SECRET to this secret"} before you start the service.`,
  );
  return 0;
}

function readNextSecret(file: string): string {
  const secret = readSecretArgument("--to", file);
  if (isPrivateKey(secret)) return secret;
  throw new InvalidInputError("--to names a file that does not hold 0x and 64 hex digits (32 bytes).");
}
