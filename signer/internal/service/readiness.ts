import { boundedCalls } from "@hardhat-identity/protocol/chain/boundedCalls";
import { type ChainTime, readChainTime } from "@hardhat-identity/protocol/chain/clock";
import { type Chain, ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { ConsumerReading } from "@hardhat-identity/protocol/chain/consumer";
import {
  type AllowlistReading,
  allowlistCalls,
  findRegistryProblem,
  judgeAllowlist,
} from "@hardhat-identity/protocol/chain/registry";
import type { ReadinessCheck, ReadinessReport } from "@hardhat-identity/protocol/health";
import { keepReading } from "@hardhat-identity/protocol/sharedRead";
import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";
import { StoreUnavailableError } from "@hardhat-identity/store/database/storeUnavailable";
import type { Logger } from "@hardhat-identity/store/logger";
import { withRemedy } from "../errors/remedies.ts";
import { notReady } from "../errors/serviceError.ts";
import { type KeySource, KeyUnavailableError } from "../keys/keySource.ts";
import type { SigningKeys } from "../keys/signingKeys.ts";
import { timeJudge } from "./clock.ts";
import { formerSigners } from "./formerSigners.ts";

export type Readiness = ReturnType<typeof watchReadiness>;

/** Milliseconds for which a report is kept, so that not every caller causes requests to the node. */
const reportTtlMs = 1_000;
/**
 * Once the clocks differed too much, the greatest difference in seconds at which the service reports that it is ready
 * again: a node right at the limit would otherwise make a replica ready and unready by turns.
 */
const settledSeconds = 45;
const good: ReadinessCheck = { ok: true };
const bad = (detail: string): ReadinessCheck => ({ ok: false, detail });

/** Watches the readiness of the service. Each change goes to the log, with advice for the operator. */
export function watchReadiness(input: {
  logger: Logger;
  chain: Chain;
  store: Pick<CredentialStore, "erased" | "noteAllowed" | "wasAllowed">;
  /** Fails while the store cannot be read, or takes no writes. */
  checkStore: () => Promise<void>;
  keys: SigningKeys;
  /** Whether a public development secret is in use. */
  development: boolean;
  isLocal: () => Promise<boolean>;
  /** Called with the chain's time after each successful reading. */
  onTime?: (time: ChainTime) => void;
}) {
  const { logger, chain, store, keys } = input;
  const { registry } = keys.allowlist;
  const judgeTime = timeJudge(input);
  const former = formerSigners(store, registry);
  let isOff = false;
  let lastProblem: string | undefined;

  /** @param reason The cause, for the log only. */
  function log(problem: string | undefined, reason?: string): void {
    if (problem === lastProblem) return;
    lastProblem = problem;
    if (problem === undefined) logger.info("ready");
    else logger.warn({ problem, reason }, "not ready: nothing is signed until this is fixed");
  }

  async function findSignerProblem(allowlist: AllowlistReading): Promise<string | undefined> {
    const { problem, kind, missing = [] } = allowlist;
    if (input.development && !(await input.isLocal())) {
      return "The node is no longer a local one, so development secrets are refused; set IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET.";
    }
    return problem && ((await former.describeRemoved(missing[0])) ?? withRemedy(problem, kind));
  }

  async function checkChain(): Promise<Pick<ReadinessReport["checks"], "chain" | "clock" | "signer">> {
    try {
      const node = chain.open();
      const asked = performance.now();
      const [time, registryProblem, answers] = await Promise.all([
        readChainTime(node, async () => true),
        findRegistryProblem(node, registry),
        boundedCalls(node, allowlistCalls(keys.allowlist)),
      ]);
      input.onTime?.(time);
      const judged = await judgeTime(time, isOff ? settledSeconds : undefined);
      isOff = judged.problem !== undefined;
      const chainAndClock = {
        chain: good,
        clock: judged.problem === undefined ? good : bad(judged.problem),
      };
      const allowlist: AllowlistReading =
        registryProblem === undefined
          ? judgeAllowlist(answers, keys.allowlist)
          : { allowed: [], problem: registryProblem, kind: "no-registry" };
      const problem = await findSignerProblem(allowlist);
      if (problem !== undefined) return { ...chainAndClock, signer: bad(problem) };
      await former.note(allowlist);
      keys.choose(allowlist, performance.now() - asked);
      const removed = allowlist.missing?.find((signer) => signer === keys.nextSigner());
      const detail = (await former.describeRemoved(removed)) ?? keys.describeRotation(allowlist);
      return { ...chainAndClock, signer: detail === undefined ? good : { ok: true, detail } };
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return {
        chain: bad(withRemedy(error.message, error.kind)),
        clock: bad("The chain's time cannot be read."),
        signer: bad("The registry cannot be read."),
      };
    }
  }

  async function checkErasure(): Promise<ReadinessCheck> {
    if (await store.erased()) return good;
    return bad(
      "Data that was deleted or replaced may still be in the store's log, because a reader holds on to it; erasure is retried until it succeeds.",
    );
  }

  /** Returns a report that is at most a second old. Concurrent callers share one check. */
  const check = keepReading<ReadinessReport>(async () => {
    const [ofChain, keyProblem, storeProblem, erasure] = await Promise.all([
      checkChain(),
      findOutage(keys.check),
      findOutage(input.checkStore),
      checkErasure(),
    ]);
    const lost = bad(`The signing key of ${keys.signer()} is out of reach; the log says why.`);
    const away = bad(
      "The credential store does not answer, or takes no writes; see IDENTITY_DATABASE_URL. The log says why.",
    );
    const needed = {
      ...ofChain,
      key: keyProblem === undefined ? good : lost,
      store: storeProblem === undefined ? good : away,
    };
    const failed = Object.values(needed).find(({ ok }) => !ok);
    const reasons = new Map([
      [lost, keyProblem],
      [away, storeProblem],
    ]);
    log(failed?.detail, failed && reasons.get(failed));
    return { status: failed === undefined ? "ready" : "not_ready", checks: { ...needed, erasure } };
  }, reportTtlMs);

  return {
    check,
    /**
     * Refuses (`not_ready`) to sign what the registry would reject, and to sign with a development secret for a chain that
     * is not a local node.
     *
     * @param reading A fresh reading of the allowlist.
     * @returns The key to sign with.
     */
    async requireKey({ allowlist, age }: Pick<ConsumerReading, "allowlist" | "age">): Promise<KeySource> {
      const problem = await findSignerProblem(allowlist);
      const key = keys.choose(allowlist, age());
      if (problem === undefined && key !== undefined) return key;
      log(problem);
      throw notReady("sign");
    },
    /**
     * Refuses (`not_ready`) to answer while this machine's clock and the chain's differ too much.
     *
     * @param time A fresh reading of the chain's time.
     * @returns Unix seconds from which a verification's lifetime counts.
     */
    async requireTime(time: ChainTime): Promise<number> {
      const { now, problem } = await judgeTime(time);
      if (problem === undefined) return now;
      log(problem);
      throw notReady("tell the time");
    },
    /** Refuses (`not_ready`) to date anything by a clock that is off. An unavailable chain is no reason to refuse. */
    async requireClock(): Promise<void> {
      const { chain, clock } = (await check()).checks;
      if (chain.ok && !clock.ok) throw notReady("tell the time");
    },
  };
}

/** Returns why the key or the store does not do its part, for the log only. */
async function findOutage(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    const isOutage = error instanceof KeyUnavailableError || error instanceof StoreUnavailableError;
    return isOutage ? error.message : "it failed";
  }
}
