import { parseArgs } from "node:util";
import { Wallet } from "ethers";
import { requireOption, text } from "../../console/options.ts";
import { print } from "../../console/print.ts";
import { readKeystorePassword } from "../index.ts";
import { groupCommands } from "./commands.ts";
import { writeSecretFile } from "./writeSecretFile.ts";

/** `identity-signer key new`. */
export const key = groupCommands("key", { new: newKey });

/**
 * `identity-signer key new --to <file> --password-file <file>`: writes a new signing key into a keystore (Web3 Secret
 * Storage, version 3) that only its user may read, prints the signer's address, and answers the exit code.
 *
 * @throws InvalidInputError when the password cannot be read, or something is at the keystore's path.
 */
async function newKey(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { to: text, "password-file": text } });
  const file = requireOption("--to", values.to, "the path of a new file");
  const passwordFile = requireOption("--password-file", values["password-file"], "a file with the password");
  const wallet = Wallet.createRandom();
  const keystore = await wallet.encrypt(readKeystorePassword("--password-file", passwordFile));
  await writeSecretFile("the keystore", file, keystore);
  print(wallet.address);
  return 0;
}
