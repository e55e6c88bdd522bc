import { type DestinationStream, type Logger, pino } from "pino";
import type { SignerConfig } from "./config.ts";

export type { Logger } from "pino";

/**
 * A logger that writes JSON lines, to standard output unless said otherwise: many at a time, a tenth of a second late at
 * most, and whatever is left when the process ends, also by an error that nobody caught.
 */
export function createLogger(
  level: SignerConfig["logLevel"],
  destination: DestinationStream = pino.destination({ sync: false, minLength: 4_096, periodicFlush: 100 }),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
