import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { requireOption } from "@hardhat-identity/console/options";
import { print } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import { readKeystorePassword } from "@hardhat-identity/signer";
import { Wallet } from "ethers";

/** Writes a new signing key into a keystore (Web3 Secret Storage, version 3), and prints the signer's address. */
export async function newKey(given: { to?: string; "password-file"?: string }): Promise<number> {
  // First: encryption takes seconds.
  requireOption("--to", given.to, "the path of a new file");
  const passwordFile = requireOption("--password-file", given["password-file"], "a file with the password");
  const wallet = Wallet.createRandom();
  const keystore = await wallet.encrypt(readKeystorePassword("--password-file", passwordFile));
  await writeSecretFile("the keystore", given.to, keystore);
  print(wallet.address);
  return 0;
}

/** Writes 32 random bytes, and shows nothing of them. */
export async function newSecret({ to }: { to?: string }): Promise<number> {
  await writeSecretFile("the secret", to, `0x${randomBytes(32).toString("hex")}\n`);
  print(`Wrote a new secret to ${to}.`);
  return 0;
}

/**
 * Writes what nobody else may read to the new file that `--to` names.
 *
 * @param what The content, for an error.
 */
async function writeSecretFile(what: string, to: string | undefined, content: string): Promise<void> {
  const file = requireOption("--to", to, "the path of a new file");
  await writeFile(file, content, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    throw new InvalidInputError(
      `--to: ${what} was not written (${systemErrorCode(error)}); give the path of a new file.`,
    );
  });
}
