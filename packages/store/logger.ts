type Log = {
  (message: string): void;
  (fields: object, message?: string): void;
};

/** A log of the service. Loggers of pino are of this form. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
  readonly fatal: Log;
}
