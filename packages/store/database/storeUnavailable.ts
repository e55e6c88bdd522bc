/** Whether a failed call can be repeated. */
export type Repeatable =
  /** It can: the database reports that it has done nothing. */
  | "always"
  /** Only if the call is idempotent: the connection broke before or after it was executed. */
  | "when-idempotent"
  | "never";

/** The database did not execute a statement. The message contains nothing of the statement. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
  /** The code of the failure: an SQLSTATE, an SQLite result code, or an error code of the system. */
  readonly code: string;
  readonly repeatable: Repeatable;

  constructor(reason: string, code: string, repeatable: Repeatable = "never") {
    super(`${reason} (${code})`);
    this.code = code;
    this.repeatable = repeatable;
  }
}
