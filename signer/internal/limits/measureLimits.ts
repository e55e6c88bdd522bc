import type { Metrics } from "../metrics.ts";
import type { Allowance, MakeLimiter } from "./limiter.ts";

/** Limits whose refusals are counted. */
export function measureLimits(
  makeLimiter: MakeLimiter,
  { limitedRequests }: Pick<Metrics, "limitedRequests">,
): MakeLimiter {
  return (name, limit) => {
    const limiter = makeLimiter(name, limit);
    const refusals = limitedRequests.labels({ limit: name });
    refusals.inc(0);
    const note = (answer: Allowance) => {
      if (!answer.allowed) refusals.inc();
      return answer;
    };
    return {
      limit,
      count(key) {
        const answer = limiter.count(key);
        return answer instanceof Promise ? answer.then(note) : note(answer);
      },
    };
  };
}
