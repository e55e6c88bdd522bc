/** When what failed can be done again. */
export type Repeatable =
  /** At any time: the database says that it has done nothing. */
  | "always"
  /** Where twice is as good as once: the connection broke, before it was done or after. */
  | "when-idempotent"
  | "never";

/** The database did not do what it was asked. The message has nothing in it of what that was. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
  /** The database's own word: an SQLSTATE, a number of SQLite's, or an error code of the system. */
  readonly code: string;
  readonly repeatable: Repeatable;
  /** Whether it may answer later, without anybody changing what it is asked with. */
  readonly isAway: boolean;

  constructor(reason: string, code: string, repeatable: Repeatable = "never", isAway = false) {
    super(`${reason} (${code})`);
    this.code = code;
    this.repeatable = repeatable;
    this.isAway = isAway;
  }
}
