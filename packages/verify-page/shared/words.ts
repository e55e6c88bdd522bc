export { shortenHex as shortenAddress } from "@hardhat-identity/protocol/hex";

/** How a moment is said in one language. */
export interface MomentWords {
  readonly today: (time: string) => string;
  readonly yesterday: (time: string) => string;
  readonly onDay: (day: string, time: string) => string;
}

/**
 * A moment, unix seconds, in the person's own time zone: today and yesterday by name.
 *
 * @param timeStyle `medium` for a time with its seconds.
 */
export function writeMoment(
  seconds: number,
  words: MomentWords,
  locale: string,
  timeStyle: "short" | "medium" = "short",
): string {
  const moment = new Date(seconds * 1000);
  const time = new Intl.DateTimeFormat(locale, { timeStyle }).format(moment);
  const daysAgo = Math.round((startOfDay(new Date()) - startOfDay(moment)) / 86_400_000);
  if (daysAgo === 0) return words.today(time);
  if (daysAgo === 1) return words.yesterday(time);
  return words.onDay(new Intl.DateTimeFormat(locale, { dateStyle: "long" }).format(moment), time);
}

const startOfDay = (moment: Date): number => new Date(moment).setHours(0, 0, 0, 0);
