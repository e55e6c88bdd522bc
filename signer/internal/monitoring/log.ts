import { requirePackage } from "../files/optionalPackage.ts";
import { standardOutput } from "./logWriter.ts";

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

/**
 * Creates a logger that writes JSON lines, to standard output by default. There it writes many lines at a time, at most
 * a tenth of a second late, and the rest when the process ends, even by an uncaught error.
 *
 * @throws InvalidInputError when the package `pino` is not installed.
 */
export function createLogger(
  level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent",
  destination: { write(line: string): void } = standardOutput(),
): Logger {
  const { pino } = requirePackage<typeof import("pino")>("pino", "The log of the service");
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
