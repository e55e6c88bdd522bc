// How replicas hold one limit together. Each answers a small part of it by itself; who wants more is counted in the
// store, together with what was answered before. So most requests cost the store nothing.
import { createHmac } from "node:crypto";
import { BoundedMap } from "../boundedMap.ts";
import type { LimitCounts } from "../credentials/limitCounts.ts";
import { exchangeCounts, type KnownCount } from "./exchangeCounts.ts";
import { type Allowance, allowance, knownKeys, type Limiter, type MakeLimiter, minute } from "./limiter.ts";

/** What part of a limit a replica answers without the store: that much more is answered, for each replica, at most. */
const part = 1 / 10;

/**
 * Limits that hold for all replicas on one store together. Where the store does not tell in time, what a replica holds
 * by itself counts alone: these limits fail towards serving.
 *
 * @param input.makeLimiter Makes the limits that this replica holds by itself.
 * @param input.key 32 bytes, the same for all replicas: the store learns no address, and no wallet.
 * @param input.workers How many processes the replica has.
 * @param input.onChange Told when the store fails to tell in time, and when it does again.
 * @param input.onUnshared Told of each request that was let through for that.
 */
export function limitAmongReplicas(input: {
  makeLimiter: MakeLimiter;
  store: LimitCounts;
  key: Uint8Array;
  workers: number;
  onChange: (isShared: boolean) => void;
  onUnshared: (name: string) => void;
}): MakeLimiter {
  const { makeLimiter, key, workers, onUnshared } = input;
  const exchange = exchangeCounts(input.store, input.onChange);

  return (name, limit) => {
    const own = makeLimiter(name, limit);
    const free = Math.max(1, Math.floor((part * limit) / workers));
    /** The oldest first. */
    const counts = new BoundedMap<string, KnownCount>(knownKeys);

    function countOf(whose: string): KnownCount {
      const now = performance.now();
      const found = counts.get(whose);
      if (found !== undefined && now < found.ends) return found;
      for (const [oldest, { ends }] of counts) {
        if (now < ends) break;
        counts.delete(oldest);
      }
      const begun = { row: "", untold: 0, told: 0, ends: now + minute };
      counts.set(whose, begun);
      return begun;
    }

    function count(ofReplica: Allowance, whose: string): Allowance | Promise<Allowance> {
      if (!ofReplica.allowed) return ofReplica;
      const known = countOf(whose);
      const tell = (position: number) => {
        const reset = Math.max(1, Math.ceil((known.ends - performance.now()) / 1000));
        return stricter(ofReplica, allowance({ limit, count: position, reset }));
      };
      const before = known.told + known.untold;
      // Once it is used up nobody needs to be asked until the count begins anew.
      if (before >= limit) return tell(limit + 1);
      if (known.untold < free) {
        known.untold++;
        return tell(before + 1);
      }
      known.row ||= createHmac("sha256", key).update(`${name}\n${whose}`).digest("base64url");
      return exchange.tell(known).then((position) => {
        if (position !== undefined) return tell(position);
        onUnshared(name);
        return ofReplica;
      });
    }

    const limiter: Limiter = {
      limit,
      count(whose) {
        const ofReplica = own.count(whose);
        return ofReplica instanceof Promise
          ? ofReplica.then((answer) => count(answer, whose))
          : count(ofReplica, whose);
      },
    };
    return limiter;
  };
}

const stricter = (one: Allowance, other: Allowance): Allowance =>
  !other.allowed || other.remaining < one.remaining ? other : one;
