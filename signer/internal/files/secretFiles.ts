import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { InvalidInputError } from "../../../protocol/errors.ts";

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
      problems.push(`- Both of ${name} and ${variable} are set; set one of them.`);
      continue;
    }
    const { text, problem } = readSecretFile(variable, file);
    if (problem !== undefined) problems.push(`- ${problem}`);
    else read[name] = text.trim();
  }
  return { env: { ...env, ...read }, problems };
}

/**
 * Reads a file that nobody else may read, or returns the problem with it, without the file's name.
 *
 * @param what Identifies the file in the problem, such as the variable with its path.
 */
export function readSecretFile(
  what: string,
  file: string,
): { text: string; problem?: undefined } | { text?: undefined; problem: string } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const exposure = describeExposure(fstatSync(descriptor));
    if (exposure !== undefined) return { problem: `${what} names a file that ${exposure}.` };
    const text = readFileSync(descriptor, "utf8");
    return text.trim() === "" ? { problem: `${what} names an empty file.` } : { text };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    return { problem: `${what} names a file that cannot be read (${code}); set it to the file's path.` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Reads a file as {@link readSecretFile} does.
 *
 * @throws InvalidInputError without the file's name, which may be the secret, set by mistake.
 */
export function requireSecretFile(what: string, file: string): string {
  const { text, problem } = readSecretFile(what, file);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return text;
}

/**
 * Returns the problem with a folder in which others can create files: it belongs to a user other than this process's and
 * root, or users other than its owner and this process's own group can write to it. Windows has no such owners and modes.
 */
export function describeOpenFolder({
  mode,
  uid,
  gid,
}: Pick<Stats, "mode" | "uid" | "gid">): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = process.getuid?.();
  if (uid !== 0 && uid !== own) return `belongs to another user (uid ${uid}), who can create files in it`;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.());
  if (!isOpen) return undefined;
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  return `other users can create files in (mode ${octal}); set its mode to 0700`;
}

/**
 * Returns the problem with a file that belongs to a user other than this process's and root, or that users other than
 * its owner can read or write. The group may read a file of root's: that is how a process that is not root gets a
 * secret. Windows has no such owners and modes.
 */
export function describeExposure({ mode, uid }: Pick<Stats, "mode" | "uid">): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = process.getuid?.();
  if (uid !== 0 && uid !== own) {
    return `belongs to another user (uid ${uid}), who can change it; run this as that user, or give the file to yours (uid ${own})`;
  }
  const ofAnotherRoot = uid === 0 && own !== 0;
  if ((mode & (ofAnotherRoot ? 0o037 : 0o077)) === 0) return undefined;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `other users can read or change (mode ${octal}); set its mode to 0600 or 0400`;
}

/**
 * Returns the problem with a file that users other than this process's and root can change, or replace in its folder.
 * Others may read it. A file that does not exist has no problem.
 */
export function describeChangeable(file: string): string | undefined {
  if (process.platform === "win32" || !existsSync(file)) return undefined;
  const real = realpathSync(file);
  const { mode, uid, gid } = statSync(real);
  const own = process.getuid?.();
  if (uid !== 0 && uid !== own) return `belongs to another user (uid ${uid}), who can change it`;
  if ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.())) {
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    return `other users can change (mode ${octal}); set its mode to 0644`;
  }
  const folder = dirname(real);
  const exposure = describeOpenFolder(statSync(folder));
  return exposure && `is in ${folder}, a folder that ${exposure}`;
}
