const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Milliseconds of 400 years, the period of the calendar. */
const fourCenturies = 146_097 * 86_400_000;

/**
 * Reads `date-time` and drops fractions below a millisecond. A second 60 is a leap second and must be the last one of a
 * month in UTC (section 5.7, appendix D). `Date` has no leap seconds, so the result is the second after it.
 *
 * @returns `undefined` if it is not a `date-time`.
 */
export function parseDateTime(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (match[8] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  const inSeconds = Date.UTC(year + 400, month - 1, day, hour, minute - offset, second) - fourCenturies;
  if (second === 60 && !isMonthStart(new Date(inSeconds))) return undefined;
  const milliseconds = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  return new Date(inSeconds + milliseconds);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isMonthStart(time: Date): boolean {
  return time.getUTCDate() === 1 && time.getTime() % 86_400_000 === 0;
}
