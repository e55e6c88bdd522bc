import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";

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

let output: DestinationStream | undefined;

/** Returns the one destination of the process, so that lines keep their order. */
function standardOutput(): DestinationStream {
  if (output !== undefined) return output;
  // Not asynchronous: at the end of the process, that would retry for ever to reach a reader that is gone.
  const written = pino.destination({ sync: true, minLength: 2_048, periodicFlush: 100 });
  process.once("exit", () => written.flush());
  output = written;
  return output;
}
