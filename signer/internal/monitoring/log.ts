import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import { standardOutput } from "./logWriter.ts";

export type { Logger } from "pino";

/**
 * Creates a logger that writes JSON lines, to standard output by default. There it writes many lines at a time, at most
 * a tenth of a second late, and the rest when the process ends, even by an uncaught error.
 */
export function createLogger(
  level: LevelWithSilent,
  destination: DestinationStream = standardOutput(),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
