import { invalidArgument } from "./invalidArgument.ts";

/** Milliseconds between two readings. */
export function checkInterval(value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw invalidArgument("interval", "a positive number of milliseconds", value);
}
