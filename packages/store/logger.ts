type Log = {
  (message: string): void;
  (fields: object, message?: string): void;
};

/** The levels of a log, from the one with the most lines to none. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A log of the service. Loggers of pino are of this form. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  readonly fatal: Log;
}
