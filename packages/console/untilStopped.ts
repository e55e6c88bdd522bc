import { print } from "./print.ts";

/** The signals by which a process is asked to end. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Milliseconds in which a launcher, such as npx, may pass on a signal that the process got from the terminal as well. */
const repeatMs = 500;

/** Calls back when the process is asked to end. A later request ends the process at once, with exit code 1. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let askedAt: number | undefined;
  function receive(signal: NodeJS.Signals): void {
    if (askedAt === undefined) {
      askedAt = performance.now();
      stop(signal);
    } else if (performance.now() - askedAt >= repeatMs) process.exit(1);
  }
  for (const signal of stopSignals) process.on(signal, receive);
}

/**
 * Waits until the process is asked to end (Ctrl-C, SIGTERM, or a terminal that closes), then stops what runs. A later
 * request ends the process at once.
 *
 * @param say Whether to tell the user.
 * @param limit Milliseconds after which the process ends even if something, such as an open WebSocket, has not, and its exit
 * code then.
 */
export async function untilStopped(
  stop: (signal: NodeJS.Signals) => Promise<void>,
  say: boolean,
  limit = { ms: 5_000, exitCode: 0 },
): Promise<void> {
  const received = await new Promise<NodeJS.Signals>(onStopSignal);
  if (say) print("\nStopping …");
  setTimeout(() => process.exit(limit.exitCode), limit.ms).unref();
  await stop(received);
  if (say) print("Stopped; nothing is left running.");
  process.exit(0);
}
