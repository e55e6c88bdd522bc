import { lastDateSecond } from "@hardhat-identity/protocol/lastSeconds";

/** A time in unix seconds, such as `2026-01-31T02:00:00Z`; one that a Date does not have, as its number. */
export const showTime = (seconds: number): string =>
  seconds > lastDateSecond
    ? `unix second ${seconds}`
    : new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
