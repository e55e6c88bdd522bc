/** A time in unix seconds, such as `2026-01-31T02:00:00Z`. */
export const showTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
