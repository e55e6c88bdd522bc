import { type Repeatable, StoreUnavailableError } from "./storeUnavailable.ts";

const inPooler =
  "its pooler refuses it, and says why in its log; PgBouncer needs ignore_startup_parameters = options";

/** The meaning of a failure. */
interface Failure {
  /** An SQLSTATE, or an error code of the system. */
  readonly code: RegExp;
  /** The reason that operators read. */
  readonly reason: string;
  /** By default, a failed call is not repeated: it would fail again, or add to the load. */
  readonly repeatable?: Repeatable;
  /** Whether the connection is of no more use. */
  readonly ends?: boolean;
}

/**
 * The meaning of each code; the first that fits counts. A server's text decides nothing: it depends on its language.
 * A pooler sends the same codes, and 08P01 for nearly everything of its own.
 */
const failures: readonly Failure[] = [
  // A concurrent transaction was in the way: nothing was done.
  { code: /^(40000|40001|40P01)$/, reason: "it failed", repeatable: "always" },
  // The connection was closed while it was idle: nothing that was sent later was read.
  // Over a Unix socket, only the broken pipe shows it. A statement that it cut off lacks its `sync`, and did nothing.
  { code: /^(57P05|25P03|EPIPE)$/, reason: "it closed an idle connection", repeatable: "always", ends: true },
  // The connection was closed before, during or after the statement.
  { code: /^25P04$/, reason: "it ended a long transaction", repeatable: "when-idempotent", ends: true },
  { code: /^08P01$/, reason: inPooler, repeatable: "when-idempotent", ends: true },
  {
    code: /^(08|40003|57P0[1-4])/,
    reason: "it cannot work right now",
    repeatable: "when-idempotent",
    ends: true,
  },
  // Another connection may lead to the new primary.
  { code: /^25006$/, reason: "it can only be read", repeatable: "when-idempotent", ends: true },
  { code: /^57014$/, reason: "it does not answer in time" },
  { code: /^55P03$/, reason: "another program locks its tables" },
  { code: /^28/, reason: "it refuses the user or the password" },
  { code: /^3D000$/, reason: "it has no database of that name" },
  { code: /^3F000$/, reason: "its search_path names no schema that exists" },
  { code: /^42P01$/, reason: "its tables are missing: run identity-signer migrate" },
  { code: /^(42P07|42710)$/, reason: "it has another program's tables or types of the same names" },
  { code: /^42501$/, reason: "the user may not do what has to be done" },
  { code: /^53100$/, reason: "its disk is full" },
  { code: /^53300$/, reason: "it takes no more connections" },
  { code: /^(53|57)/, reason: "it cannot work right now" },
  {
    code: /^0A000$/,
    reason:
      "it, or its proxy, lacks what the store needs, such as settings at the start of a session (options): docs/store.md",
  },
  { code: /^58/, reason: "its disk fails" },
  { code: /^XX00[12]$/, reason: "its files are damaged" },
  // A pooler mixed up the statements of its clients.
  { code: /^(26000|42P05)$/, reason: inPooler },
  { code: /^(?=.*\d)[0-9A-Z]{5}$/, reason: "it failed" },
  // The codes of the system and of `pg`: there is no connection, or it broke.
  { code: /^ETIMEDOUT$/, reason: "it does not answer in time", repeatable: "when-idempotent", ends: true },
  {
    code: /^(ECONN|ENOENT|ENOTFOUND|EAI|EHOST|ENET)/,
    reason: "it cannot be reached",
    repeatable: "when-idempotent",
    ends: true,
  },
  {
    code: /^SSL$/,
    reason: "it offers no TLS, and sslmode in the URL wants it",
    repeatable: "when-idempotent",
    ends: true,
  },
  {
    code: /CERT|TLS|SSL|SELF_SIGNED|VERIFY/,
    reason: "TLS with it fails",
    repeatable: "when-idempotent",
    ends: true,
  },
];

/** A failure with a code that is not listed. */
const unknownFailure: Omit<Failure, "code"> = {
  reason: "it failed",
  repeatable: "when-idempotent",
  ends: true,
};

const readFailure = (code: string) => failures.find((each) => each.code.test(code)) ?? unknownFailure;

/** Describes a failure without the server's message, which may quote a statement or a misplaced password. */
export function describeFailure(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const code = codeOf(error);
  const { reason, repeatable } = readFailure(code);
  // A statement that took too long would take as long again.
  return new StoreUnavailableError(reason, code, isTimeout(error) ? "never" : repeatable);
}

/** Whether the server refused a statement and keeps the connection. */
export const isRefusal = (error: unknown) => readFailure(codeOf(error)).ends !== true;

/** Whether `pg` gave up waiting. Its own errors have no code. */
const isTimeout = (error: unknown) =>
  error instanceof Error && Reflect.get(error, "code") === undefined && /timeout/i.test(error.message);

/** The code of a failure: PostgreSQL's, the system's or, where `pg` has none, ETIMEDOUT, 28P01, SSL or ECONNLOST. */
export function codeOf(error: unknown): string {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  if (isTimeout(error)) return "ETIMEDOUT";
  // The words of `pg` itself: the URL has no password, or the server is not the one that knows it.
  if (message.startsWith("SASL")) return "28P01";
  return /support SSL/.test(message) ? "SSL" : "ECONNLOST";
}
