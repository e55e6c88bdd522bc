import { print } from "./print.ts";

/** The signals by which a process is asked to end. */
export const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Waits until the process is asked to end (Ctrl-C, SIGTERM, or a terminal that closes), then stops what runs. A second
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
  const received = await new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of stopSignals) process.once(signal, () => resolve(signal));
  });
  for (const signal of stopSignals) process.once(signal, () => process.exit(1));
  if (say) print("\nStopping …");
  setTimeout(() => process.exit(limit.exitCode), limit.ms).unref();
  await stop(received);
  if (say) print("Stopped; nothing is left running.");
  process.exit(0);
}
