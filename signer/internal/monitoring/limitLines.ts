import type { Logger } from "@hardhat-identity/store/logger";

/** The most lines of a kind in one window. */
const maxLines = 20;

/** Milliseconds of a window. */
const windowMs = 10_000;

/** A request that anybody may make without end. Its kind is made of these: a client cannot make kinds. */
interface LimitedRequest {
  readonly route: string;
  readonly status: number;
  readonly code: string | undefined;
}

/**
 * Limits the lines about requests that are refused or cost nothing, so that nobody fills the log with them: of each kind, it
 * writes the first lines in ten seconds, and how many it left out at their end.
 *
 * @returns A function that takes such a request, and writes its line unless there were too many.
 */
export function limitLines(logger: Pick<Logger, "info">) {
  const counts = new Map<string, number>();
  return ({ route, status, code }: LimitedRequest, write: () => void): void => {
    const kind = `${route} ${status} ${code}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count === 1) setTimeout(endWindow, windowMs).unref();
    if (count <= maxLines) write();

    function endWindow(): void {
      const leftOut = (counts.get(kind) ?? 0) - maxLines;
      counts.delete(kind);
      if (leftOut > 0)
        logger.info({ route, status, code, leftOut }, "More requests ended like those before.");
    }
  };
}
