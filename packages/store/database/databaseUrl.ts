import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isLoopback } from "@hardhat-identity/protocol/loopback";

/** The location of a database. */
export type DatabaseLocation =
  | { readonly engine: "sqlite"; readonly path: string }
  /** The URL may hold a password. */
  | { readonly engine: "postgres"; readonly url: string };

/**
 * Reads the URL of a database. An error does not show it.
 *
 * @param name Names it in the error.
 */
export function readDatabaseLocation(databaseUrl: string, name = "IDENTITY_DATABASE_URL"): DatabaseLocation {
  const problem = describeDatabaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new InvalidInputError(`${name} must be ${problem}.`);
  const path = findSqlitePath(databaseUrl);
  return path === undefined ? { engine: "postgres", url: databaseUrl } : { engine: "sqlite", path };
}

/** Describes what a URL must be; `undefined` if it is valid. */
export function describeDatabaseUrlProblem(databaseUrl: string): string | undefined {
  if (isPostgresUrl(databaseUrl)) return describePostgresUrlProblem(databaseUrl);
  const path = findSqlitePath(databaseUrl);
  // Such a path would name another store, and nobody would see why.
  if (path !== path?.trim() || /\p{Cc}/u.test(databaseUrl))
    return "without white space at its ends, and without line ends";
  if (path !== undefined) return undefined;
  return "file:<path of an SQLite file>, or postgresql://<user>:<password>@<host>/<database>";
}

const isPostgresUrl = (databaseUrl: string) => /^postgres(ql)?:\/\//i.test(databaseUrl);

function findSqlitePath(databaseUrl: string): string | undefined {
  // Parameters would be a part of the name.
  const [, path] = /^file:(?:\/\/(?=\/))?([^?]+)$/.exec(databaseUrl) ?? [];
  return path?.startsWith("//") || path?.startsWith(":") ? undefined : path;
}

/**
 * The parameters that a URL may have, with their values. libpq has others, and a setting that protects must not be dropped
 * in silence.
 */
const parameters: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    host: /^[^,]+$/,
    port: /^\d+$/,
    user: /./,
    password: /./,
    // Taken, as many hosts put one there, but PostgreSQL lists the service under its own name.
    application_name: /./,
    options: /./,
    // The modes of libpq with a definite outcome. The others let an attacker on the network switch TLS off.
    sslmode: /^(disable|require|verify-ca|verify-full)$/,
    // libpq takes `system` for the system's own list.
    sslrootcert: /^(?!system$)./,
    sslcert: /./,
    sslkey: /./,
    sslnegotiation: /^(postgres|direct)$/,
    // These values are the service's own behaviour.
    channel_binding: /^disable$/,
    gssencmode: /^disable$/,
    target_session_attrs: /^(read-write|primary)$/,
    uselibpqcompat: /^true$/,
  }),
);

/** Parameter → the remedy that the error names. */
const advice: ReadonlyMap<string, string> = new Map([
  ["channel_binding", "; sslmode=verify-full protects as well"],
  ["sslmode", "; sslmode must be one of disable, require, verify-ca, verify-full"],
  ["sslrootcert", "; without it, Node's own list of authorities counts"],
]);

function describePostgresUrlProblem(databaseUrl: string): string | undefined {
  const url = parsePostgresUrl(databaseUrl);
  // An unencoded special character of a password may end the part before the path.
  if (url === undefined || /[#@]/.test(url.search + url.hash) || !/^\/[^/@]+$/.test(url.pathname)) {
    return "postgresql://<user>:<password>@<host>/<database>, with one host, and with %-encoding for special characters of the password";
  }
  for (const [name, value] of url.searchParams) {
    const honoured = parameters.get(name);
    if (honoured?.test(value) !== true) {
      const shown = honoured === undefined || name === "password" ? name : `${name}=${value}`;
      return `a URL without ${shown}, which the service does not support${advice.get(name) ?? ""}`;
    }
    if (url.searchParams.getAll(name).length > 1) return `a URL with one ${name}`;
  }
  const mode = url.searchParams.get("sslmode");
  const host = url.searchParams.get("host") ?? url.hostname.replaceAll(/%2f/gi, "/");
  if (host === "" || host.includes(",")) {
    return "a URL with one host, or with the folder of a Unix socket, such as ?host=/var/run/postgresql";
  }
  const wantsTls = ["sslrootcert", "sslcert", "sslkey", "sslnegotiation"].some((name) =>
    url.searchParams.has(name),
  );
  if (mode === null && (wantsTls || (!host.startsWith("/") && !isLoopback(host)))) {
    return "a URL whose sslmode says whether TLS is used: sslmode=verify-full, or sslmode=disable";
  }
  if (mode === "disable" && url.searchParams.get("sslnegotiation") === "direct") {
    return "a URL without sslnegotiation=direct, or with an sslmode that uses TLS";
  }
  if (mode === "verify-ca" && !url.searchParams.has("sslrootcert")) {
    return "a URL with an sslrootcert, which sslmode=verify-ca needs";
  }
  return undefined;
}

/** Parses as `pg` does: a user without a host is no valid URL, but has a meaning where a Unix socket is named. */
function parsePostgresUrl(databaseUrl: string): URL | undefined {
  if (URL.canParse(databaseUrl)) return new URL(databaseUrl);
  const withHost = databaseUrl.replace("@/", "@localhost/");
  if (!URL.canParse(withHost)) return undefined;
  const url = new URL(withHost);
  return url.searchParams.has("host") ? url : undefined;
}
