import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";

export type { Logger } from "pino";

/**
 * A logger that writes JSON lines, to standard output unless said otherwise: many at a time, a tenth of a second late at
 * most, and whatever is left when the process ends, also by an error that nobody caught.
 */
export function createLogger(
  level: LevelWithSilent,
  destination: DestinationStream = standardOutput(),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

let output: DestinationStream | undefined;

/** One for all of a process: it is written to in the order of the lines. */
function standardOutput(): DestinationStream {
  if (output !== undefined) return output;
  // Not an asynchronous one: as the process ends, that tries for ever to reach a reader who has gone before.
  const written = pino.destination({ sync: true, minLength: 2_048, periodicFlush: 100 });
  process.once("exit", () => written.flush());
  output = written;
  return output;
}
