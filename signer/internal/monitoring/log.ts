import { requirePackage } from "@hardhat-identity/store/files/optionalPackage";
import type { Logger, LogLevel } from "@hardhat-identity/store/logger";
import { standardOutput } from "./logWriter.ts";

/**
 * Creates a logger that writes JSON lines, to standard output by default. There it writes many lines at a time, at most
 * a tenth of a second late, and the rest when the process ends, even by an uncaught error.
 *
 * @throws InvalidInputError when the package `pino` is not installed.
 */
export function createLogger(
  level: LogLevel,
  destination: { write(line: string): void } = standardOutput(),
): Logger {
  const { pino } = requirePackage<typeof import("pino")>("pino", import.meta.url, "The log of the service");
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
