import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import { describeExposure } from "./exposure.ts";

/** Returns the variable that names a secret's file, in place of the secret's own variable. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Reads secrets from files.
 *
 * @param names The variables of secrets. Each secret may be in a file instead, which its {@link fileVariable} names.
 * @returns The environment with the contents of the files, trimmed, and a line for each invalid variable. No line
 * contains a variable's value: that may be the secret itself, set by mistake.
 */
export function readSecretFiles(
  env: NodeJS.Dict<string>,
  names: readonly string[],
): { env: NodeJS.Dict<string>; problems: string[] } {
  const problems: string[] = [];
  const read: Record<string, string> = {};
  for (const name of names) {
    const variable = fileVariable(name);
    const file = env[variable];
    if (!file) continue;
    if (env[name]) {
      problems.push(`- Both ${name} and ${variable} are set; set one of them.`);
      continue;
    }
    try {
      read[name] = requireSecretFile(variable, file).trim();
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      problems.push(`- ${error.message}`);
    }
  }
  return { env: { ...env, ...read }, problems };
}

/**
 * Reads a file that nobody else may read.
 *
 * @param what Identifies the file in the error, such as the variable with its path.
 * @throws InvalidInputError without the file's name, which may be the secret, set by mistake.
 */
export function requireSecretFile(what: string, file: string): string {
  const refuse = (problem: string) => new InvalidInputError(`${what} names ${problem}`);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const exposure = describeExposure(fstatSync(descriptor));
    if (exposure !== undefined) throw refuse(`a file that ${exposure}.`);
    const text = decodeFile(readFileSync(descriptor));
    if (text.trim() === "") throw refuse("an empty file.");
    return text;
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const code = systemErrorCode(error);
    throw refuse(`a file that cannot be read (${code}); set it to the file's path.`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
