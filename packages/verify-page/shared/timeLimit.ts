/** Milliseconds after which nothing is expected any more: the proxies before the service wait for 15 seconds. */
export const timeLimitMs = 20_000;
