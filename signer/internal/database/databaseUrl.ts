import { InvalidInputError } from "../../../protocol/errors.ts";
import { isLoopback } from "../network/loopback.ts";

/** Where credentials are kept. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly path: string }
  /** The URL may hold a password. */
  | { readonly engine: "postgres"; readonly url: string };

/**
 * Reads an `IDENTITY_DATABASE_URL`.
 *
 * @throws InvalidInputError that does not show it, when it names neither a file nor a PostgreSQL database.
 */
export function readDatabaseLocation(databaseUrl: string): DatabaseLocation {
  const problem = describeDatabaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new InvalidInputError(`IDENTITY_DATABASE_URL must be ${problem}.`);
  const path = findSqlitePath(databaseUrl);
  return path === undefined ? { engine: "postgres", url: databaseUrl } : { engine: "sqlite", path };
}

/** What a URL should have been; undefined where it can be used. */
export function describeDatabaseUrlProblem(databaseUrl: string): string | undefined {
  if (isPostgresUrl(databaseUrl)) return describePostgresUrlProblem(databaseUrl);
  if (findSqlitePath(databaseUrl) !== undefined) return undefined;
  return "file:<path of an SQLite file>, or postgresql://<user>:<password>@<host>/<database>";
}

const isPostgresUrl = (databaseUrl: string) => /^postgres(ql)?:\/\//i.test(databaseUrl);

function findSqlitePath(databaseUrl: string): string | undefined {
  const [, path] = /^file:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl) ?? [];
  return path?.startsWith("//") || path?.startsWith(":") ? undefined : path;
}

/** Those of libpq that say what is checked; the others let whoever is in between switch TLS off. */
const sslModes = ["disable", "require", "verify-ca", "verify-full"];

function describePostgresUrlProblem(databaseUrl: string): string | undefined {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  // A character of a password that should have been encoded may end what was meant to be the host.
  if (url === undefined || url.hash !== "" || !/^\/[^/@]+$/.test(url.pathname)) {
    return "postgresql://<user>:<password>@<host>/<database>, with %-encoding for what is special in the password";
  }
  const mode = url.searchParams.get("sslmode");
  const host = url.searchParams.get("host") ?? url.hostname;
  if (mode === null && !host.startsWith("/") && !isLoopback(host)) {
    return "a URL that says by sslmode whether TLS is used: sslmode=verify-full, or sslmode=disable";
  }
  if (mode === "verify-ca" && !url.searchParams.has("sslrootcert")) {
    return "a URL with an sslrootcert, by which sslmode=verify-ca goes";
  }
  if (mode === null || sslModes.includes(mode)) return undefined;
  return `a URL whose sslmode is one of ${sslModes.join(", ")}`;
}
