import { type DestinationStream, type Logger, pino } from "pino";
import type { SignerConfig } from "./config.ts";

export type { Logger } from "pino";

/** A logger that writes JSON lines, to standard output unless said otherwise. */
export function createLogger(level: SignerConfig["logLevel"], destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return destination === undefined ? pino(options) : pino(options, destination);
}
