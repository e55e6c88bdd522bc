const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How long ago something was, such as "3 days ago". A time to come, as a local chain has some, is "just now". */
export function describeAge(unixSeconds: number, now = Date.now() / 1000): string {
  const seconds = now - unixSeconds;
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? [];
  if (unit === undefined) return "just now";
  return new Intl.RelativeTimeFormat("en-GB").format(-Math.floor(seconds / length), unit);
}
