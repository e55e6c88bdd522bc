import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/**
 * Reads an option that is a time, as unix milliseconds. A time without its zone would be that of this machine's.
 *
 * @throws InvalidInputError that names the option.
 */
export function readTime(option: string, text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  // JavaScript takes the 30th of February for the 2nd of March.
  const day = text.slice(0, 10);
  if (!Number.isNaN(time) && new Date(day).toISOString().startsWith(day)) return time;
  throw new InvalidInputError(
    `${option} must be a day or a time such as 2026-01-31 or 2026-01-31T12:00:00Z, got ${JSON.stringify(text)}.`,
  );
}
