// How the workers of a service hold one limit together. Each may answer a small part of it by itself; who needs more
// asks the parent, which then has every worker tell what it answered, and hand the rest to it. So most requests are
// counted without a message, and nobody gets more than the limit, nor less, whichever workers are asked.
import { allowance, type Limiter, perMinute, type ReadClock } from "./limiter.ts";

/** How many of a limit a worker may answer by itself; half of it at most is given away so. */
const partOf = (limit: number, workers: number): number => Math.floor(limit / (2 * workers));

/** By the wall clock, which all processes have in common; `began` is its milliseconds when the first minute began. */
export const sharedClock =
  (began: number): ReadClock =>
  () =>
    Date.now() - began;

/** A worker's side of a limit. */
export interface WorkerLimiter extends Limiter {
  /** Asks the parent about each request of a key from now on. Answers how many it has answered by itself. */
  handOver(key: string): number;
}

/** @param count Has the parent count a request. Answers how many there were; more than the limit for one too many. */
export function limitInWorker(
  input: { limit: number; workers: number; count: (key: string) => Promise<number> },
  readClock: ReadClock,
): WorkerLimiter {
  const { limit } = input;
  const part = partOf(limit, input.workers);
  /** What was answered here, whether the parent counts by now, and the highest count that it told. */
  const states = perMinute<{ answered: number; handedOver: boolean; count: number }>(readClock);
  const answer = (count: number) => allowance({ limit, count, reset: states.reset() });

  function stateOf(key: string) {
    const known = states.get(key);
    if (known !== undefined) return known;
    const state = { answered: 0, handedOver: false, count: 0 };
    states.set(key, state);
    return state;
  }

  return {
    limit,
    count(key) {
      const state = stateOf(key);
      if (!state.handedOver && state.answered < part) return answer(++state.answered);
      // Once it is used up nobody needs to be asked until the minute ends.
      if (state.count > limit) return answer(state.count);
      return input.count(key).then((count) => {
        state.count = Math.max(state.count, count);
        return answer(count);
      });
    },
    handOver(key) {
      const state = stateOf(key);
      state.handedOver = true;
      return state.answered;
    },
  };
}

/**
 * The parent's side of a limit.
 *
 * @param handOver Has every worker hand a key over. Answers how many they have answered, all together.
 * @returns What counts a request; see {@link limitInWorker}.
 */
export function limitInParent(
  input: { limit: number; workers: number; handOver: (key: string) => Promise<number> },
  readClock: ReadClock,
): (key: string) => Promise<number> {
  const { limit, workers, handOver } = input;
  const states = perMinute<{ count: number; handedOver: Promise<void> }>(readClock);
  return async (key) => {
    let state = states.get(key);
    if (state === undefined) {
      const made = { count: 0, handedOver: Promise.resolve() };
      if (partOf(limit, workers) > 0) {
        made.handedOver = handOver(key).then((answered) => {
          made.count += answered;
        });
      }
      states.set(key, made);
      state = made;
    }
    await state.handedOver;
    return state.count < limit ? ++state.count : limit + 1;
  };
}
