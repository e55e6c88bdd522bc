import { type Logger, pino } from "pino";
import type { SignerConfig } from "./config.ts";

export type { Logger } from "pino";

/** A logger that writes JSON lines to standard output. */
export function createLogger(level: SignerConfig["logLevel"]): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
