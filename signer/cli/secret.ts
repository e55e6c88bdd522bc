import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { requireOption, text } from "../../console/options.ts";
import { print } from "../../console/print.ts";
import { groupCommands } from "./commands.ts";
import { writeSecretFile } from "./writeSecretFile.ts";

/** `identity-signer secret new`. */
export const secret = groupCommands("secret", { new: newSecret });

/**
 * `identity-signer secret new --to <file>`: writes 32 random bytes (0x and 64 hex digits) to a new file that only its
 * user may read, shows nothing of them, and answers the exit code.
 *
 * @throws InvalidInputError when something is at the path.
 */
async function newSecret(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: text } });
  const file = requireOption("--to", values.to, "the path of a new file");
  await writeSecretFile("the secret", file, `0x${randomBytes(32).toString("hex")}\n`);
  print(`Wrote a new secret to ${file}.`);
  return 0;
}
