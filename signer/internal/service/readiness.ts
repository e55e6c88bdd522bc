import { boundedCalls } from "../../../chain/boundedCalls.ts";
import { type ChainTime, readChainTime } from "../../../chain/clock.ts";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import type { ConsumerReading } from "../../../chain/consumer.ts";
import {
  type AllowlistReading,
  allowlistCalls,
  configureRegistry,
  findRegistryProblem,
  judgeAllowlist,
} from "../../../chain/registry.ts";
import { keepReading } from "../../../chain/sharedRead.ts";
import type { ReadinessCheck, ReadinessReport } from "../../../protocol/health.ts";
import type { CredentialStore } from "../credentials/store.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";
import { type KeySource, KeyUnavailableError } from "../keys/keySource.ts";
import type { SigningKeys } from "../keys/signingKeys.ts";
import type { Logger } from "../monitoring/log.ts";
import { timeJudge } from "./clock.ts";
import { cannot } from "./serviceError.ts";

/** Whether the service can do its work. A change is written to the log, with what to do. */
export interface Readiness {
  /** What was found at most a second ago; who asks while it is looked at shares the answer. */
  check(): Promise<ReadinessReport>;
  /**
   * Lets nothing be signed that the registry would refuse, nor with a development secret for a chain that is not a
   * local node.
   *
   * @param reading What was just read of the allowlist.
   * @returns The key to sign with.
   * @throws ServiceError `not_ready`
   */
  demand(reading: Pick<ConsumerReading, "allowlist" | "age">): Promise<KeySource>;
  /**
   * Lets nothing be answered while this machine's clock and the chain's are apart.
   *
   * @param time What was just read.
   * @returns Unix seconds from which a verification's lifetime counts.
   * @throws ServiceError `not_ready`
   */
  demandTime(time: ChainTime): Promise<number>;
  /**
   * Lets nothing be dated by a clock that is known to be off; a chain that cannot be asked is no reason.
   *
   * @throws ServiceError `not_ready`
   */
  demandClock(): Promise<void>;
}

/** Milliseconds: the node is not asked by everybody who asks the service. */
const keepFor = 1_000;
const good: ReadinessCheck = { ok: true };
const bad = (detail: string): ReadinessCheck => ({ ok: false, detail });

export function watchReadiness(input: {
  logger: Logger;
  chain: Chain;
  store: Pick<CredentialStore, "erased">;
  /** Fails while the store cannot be read, or takes no writes. */
  checkStore: () => Promise<void>;
  keys: SigningKeys;
  /** Whether a secret is in use that everybody knows. */
  development: boolean;
  isLocal: () => Promise<boolean>;
  /** Told of the time of the node's latest block. */
  onTime?: (time: ChainTime) => void;
}): Readiness {
  const { logger, chain, store, keys } = input;
  const { registry } = keys.allowlist;
  const judgeTime = timeJudge(input);
  let lastProblem: string | undefined;

  /** @param reason What only the operator is told of it. */
  function log(problem: string | undefined, reason?: string): void {
    if (problem === lastProblem) return;
    lastProblem = problem;
    if (problem === undefined) logger.info("ready");
    else logger.warn({ problem, reason }, "not ready: nothing is signed until this is mended");
  }

  async function findSignerProblem(allowlistProblem: string | undefined): Promise<string | undefined> {
    if (input.development && !(await input.isLocal())) {
      return "The node is not a local one any more, and development secrets are refused there; set IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET.";
    }
    return allowlistProblem;
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
      const judged = await judgeTime(time);
      const chainAndClock = {
        chain: good,
        clock: judged.problem === undefined ? good : bad(judged.problem),
      };
      const allowlist: AllowlistReading =
        registryProblem === undefined
          ? judgeAllowlist(answers, keys.allowlist)
          : { allowed: [], problem: `${registryProblem} ${configureRegistry}` };
      const problem = await findSignerProblem(allowlist.problem);
      if (problem !== undefined) return { ...chainAndClock, signer: bad(problem) };
      keys.choose(allowlist, performance.now() - asked);
      const detail = keys.describe(allowlist);
      return { ...chainAndClock, signer: detail === undefined ? good : { ok: true, detail } };
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      return {
        chain: bad(error.message),
        clock: bad("The chain cannot be asked for its time."),
        signer: bad("The registry cannot be asked."),
      };
    }
  }

  async function findKeyProblem(): Promise<string | undefined> {
    try {
      await keys.check();
      return undefined;
    } catch (error) {
      if (!(error instanceof KeyUnavailableError)) throw error;
      return error.message;
    }
  }

  /** What is wrong with the store, for the operator alone. */
  async function findStoreProblem(): Promise<string | undefined> {
    try {
      await input.checkStore();
      return undefined;
    } catch (error) {
      return error instanceof StoreUnavailableError ? error.message : "it failed";
    }
  }

  async function checkErasure(): Promise<ReadinessCheck> {
    if (await store.erased()) return good;
    return bad(
      "What was deleted or replaced may still stand in the store's log, which something reads; it is tried again until it is gone.",
    );
  }

  const check = keepReading<ReadinessReport>(async () => {
    const [ofChain, keyProblem, storeProblem, erasure] = await Promise.all([
      checkChain(),
      findKeyProblem(),
      findStoreProblem(),
      checkErasure(),
    ]);
    const lost = bad(`The signing key of ${keys.signer()} is out of reach; the log tells why.`);
    const away = bad(
      "The credential store does not answer, or takes no writes; see IDENTITY_DATABASE_URL. The log tells why.",
    );
    const needed = {
      ...ofChain,
      key: keyProblem === undefined ? good : lost,
      store: storeProblem === undefined ? good : away,
    };
    const failed = Object.values(needed).find(({ ok }) => !ok);
    log(failed?.detail, failed === lost ? keyProblem : failed === away ? storeProblem : undefined);
    return { status: failed === undefined ? "ready" : "not_ready", checks: { ...needed, erasure } };
  }, keepFor);

  return {
    check,
    async demand({ allowlist, age }) {
      const problem = await findSignerProblem(allowlist.problem);
      const key = keys.choose(allowlist, age());
      if (problem === undefined && key !== undefined) return key;
      log(problem);
      throw cannot("sign");
    },
    async demandTime(time) {
      const { now, problem } = await judgeTime(time);
      if (problem === undefined) return now;
      log(problem);
      throw cannot("tell the time");
    },
    async demandClock() {
      const { chain, clock } = (await check()).checks;
      if (chain.ok && !clock.ok) throw cannot("tell the time");
    },
  };
}
