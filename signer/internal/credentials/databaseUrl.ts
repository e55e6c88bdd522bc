import { InvalidInputError } from "../../../protocol/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The store that an environment names, if it names one.
 *
 * @throws InvalidInputError when it names a file by the variable's old name, `DATABASE_URL`, alone.
 */
export function readDatabaseUrl(env: Environment): string | undefined {
  const problem = describeOldDatabaseUrl(env);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return env.IDENTITY_DATABASE_URL || undefined;
}

/** Under its old name only a file was taken; what else is there belongs to another app. */
export function describeOldDatabaseUrl(env: Environment): string | undefined {
  if (env.IDENTITY_DATABASE_URL || !env.DATABASE_URL?.startsWith("file:")) return undefined;
  return "DATABASE_URL names a file, but is not read any more: the store's variable is IDENTITY_DATABASE_URL. Rename it; or, if that file is another app's, set IDENTITY_DATABASE_URL as well.";
}

/**
 * The path in an `IDENTITY_DATABASE_URL`.
 *
 * @throws InvalidInputError when it is not `file:` and a path.
 */
export function sqlitePath(databaseUrl: string): string {
  if (/^postgres(ql)?:/i.test(databaseUrl)) {
    throw new InvalidInputError(
      "IDENTITY_DATABASE_URL names a PostgreSQL database, which this version does not support; use file:<path>.",
    );
  }
  const [, path] = /^file:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl) ?? [];
  if (path === undefined || path.startsWith("//") || path.startsWith(":")) {
    throw new InvalidInputError("IDENTITY_DATABASE_URL must be file:<path of an SQLite file>.");
  }
  return path;
}
