import { InvalidInputError } from "../../../protocol/errors.ts";
import { isLoopback } from "../network/loopback.ts";

/** The location of a database. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly path: string }
  /** The URL may hold a password. */
  | { readonly engine: "postgres"; readonly url: string };

/**
 * Reads an `IDENTITY_DATABASE_URL`.
 *
 * @throws InvalidInputError when the URL is not valid. The message does not show the URL.
 */
export function readDatabaseLocation(databaseUrl: string): DatabaseLocation {
  const problem = describeDatabaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new InvalidInputError(`IDENTITY_DATABASE_URL must be ${problem}.`);
  const path = findSqlitePath(databaseUrl);
  return path === undefined ? { engine: "postgres", url: databaseUrl } : { engine: "sqlite", path };
}

/** Describes what a URL must be; `undefined` if it is valid. */
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

/** The modes of libpq with a definite outcome. The others let an attacker on the network switch TLS off. */
const sslModes = ["disable", "require", "verify-ca", "verify-full"];

function describePostgresUrlProblem(databaseUrl: string): string | undefined {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  // An unencoded special character of a password may end the part before the path.
  if (url === undefined || url.hash !== "" || !/^\/[^/@]+$/.test(url.pathname)) {
    return "postgresql://<user>:<password>@<host>/<database>, with %-encoding for special characters of the password";
  }
  const mode = url.searchParams.get("sslmode");
  const host = url.searchParams.get("host") ?? url.hostname;
  if (mode === null && !host.startsWith("/") && !isLoopback(host)) {
    return "a URL whose sslmode says whether TLS is used: sslmode=verify-full, or sslmode=disable";
  }
  if (mode === "verify-ca" && !url.searchParams.has("sslrootcert")) {
    return "a URL with an sslrootcert, which sslmode=verify-ca needs";
  }
  if (mode === null || sslModes.includes(mode)) return undefined;
  return `a URL whose sslmode is one of ${sslModes.join(", ")}`;
}
