import type { Logger } from "./log.ts";

/** Writes lines that an outage would repeat for every request. */
export type SparseLog = (level: "warn" | "error", fields: object, text: string) => void;

/** Milliseconds between two lines with the same text. */
const interval = 1_000;

/** Writes lines with the same text at most once a second. `leftOut` counts the lines in between. */
export function sparseLog(logger: Logger): SparseLog {
  const waiting = new Map<string, { count: number; fields: object }>();

  const write: SparseLog = (level, fields, text) => {
    logger[level](fields, text);
    const next = { count: 0, fields };
    waiting.set(text, next);
    const tell = () => {
      waiting.delete(text);
      if (next.count > 0) write(level, { ...next.fields, leftOut: next.count - 1 }, text);
    };
    setTimeout(tell, interval).unref();
  };

  return (level, fields, text) => {
    const next = waiting.get(text);
    if (next === undefined) return write(level, fields, text);
    next.count++;
    next.fields = fields;
  };
}
