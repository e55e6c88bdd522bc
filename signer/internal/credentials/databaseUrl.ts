import { InvalidInputError } from "../../../protocol/errors.ts";

/**
 * The path in a `DATABASE_URL`.
 *
 * @throws InvalidInputError when it is not `file:` and a path.
 */
export function sqlitePath(databaseUrl: string): string {
  if (/^postgres(ql)?:/i.test(databaseUrl)) {
    throw new InvalidInputError(
      "DATABASE_URL names a PostgreSQL database, which this version does not support; use file:<path>.",
    );
  }
  const [, path] = /^file:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl) ?? [];
  if (path === undefined || path.startsWith("//") || path.startsWith(":")) {
    throw new InvalidInputError("DATABASE_URL must be file:<path of an SQLite file>.");
  }
  return path;
}
