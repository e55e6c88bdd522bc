import { setTimeout as delay } from "node:timers/promises";
import { ChainUnavailableError, connectChain } from "../../../chain/connect.ts";
import { isLocalNode } from "../../../chain/localNode.ts";
import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { WatchSettings } from "../config/config.ts";
import { openCurve } from "../curve/curve.ts";
import { openHashes } from "../curve/hashes.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";
import { openKeySource } from "../keys/openKeySource.ts";
import { type Brake, openBrake } from "./brake.ts";
import { findCulprits } from "./culprits.ts";
import type { Finding } from "./finding.ts";
import { createWatchMetrics } from "./metrics.ts";
import { positionKeeper } from "./position.ts";
import { type Look, openWatch, type WatchOptions } from "./watchRegistry.ts";

type RunOptions = Pick<WatchOptions, "others" | "readKnown" | "fromBlock" | "onProgress"> & {
  /** Whether to remove the signer of a forged claim. */
  readonly brake: boolean;
  /** Consumers at which a forged claim that cannot be attributed has all signers removed. */
  readonly consumers: ReadonlySet<string>;
  readonly positionFile: string;
  readonly tell: (event: WatchEvent) => void;
};

/** What a watch says while it runs. */
export type WatchEvent =
  | {
      readonly event: "watching";
      readonly registry: string;
      readonly from: number;
      readonly guardian?: string;
    }
  | { readonly event: "forged" | "stranger" | "undone"; readonly finding: Finding }
  | { readonly event: "cannot-judge" | "cannot-brake"; readonly problem: string }
  | { readonly event: "judges-again"; readonly block: number }
  | {
      readonly event: "brake-sent";
      readonly signers: readonly string[];
      readonly transactions: readonly string[];
    }
  | { readonly event: "removed"; readonly signer: string };

/** Milliseconds from one look at the chain to the next, a fast one making a block in two seconds; and after a failure. */
const [intervalMs, failureIntervalMs] = [1_000, 5_000];

/** Milliseconds after which the brake is tried again. */
const brakeCheckIntervalMs = 60_000;

/** Milliseconds for one question to the node. */
const nodeTimeoutMs = 20_000;

/**
 * Opens a watch of a registry.
 *
 * @throws InvalidInputError when it cannot watch as configured.
 */
export async function prepareWatch(settings: WatchSettings, options: RunOptions) {
  const { chainId, registry } = settings;
  const { tell } = options;
  const chain = connectChain({ url: settings.rpcUrl, chainId, timeLimit: nodeTimeoutMs });
  const isLocalSecret =
    settings.masterSecret === undefined || settings.masterSecret === development.masterSecret;
  const isLocal = isLocalSecret && (await isLocalNode(chain.open()));
  if (settings.masterSecret === undefined && !isLocal) {
    throw new InvalidInputError(
      "IDENTITY_MASTER_SECRET is not set; the audit trail cannot be read without it.",
    );
  }
  const masterSecret = settings.masterSecret ?? development.masterSecret;
  const curve = openCurve(await openHashes());
  const { databaseUrl, encryptionSecret } = settings;
  const access = { databaseUrl, masterSecret, encryptionSecret, chainId };
  const keeper = await positionKeeper(access, { chainId, registry, file: options.positionFile });
  const watch = await openWatch({ ...options, ...access, registry, chain, curve, keeper, isLocal });
  const metrics = createWatchMetrics();
  const brake = options.brake ? await openGuardian() : undefined;
  tell({
    event: "watching",
    ...{ registry, from: watch.position.confirmed.number + 1 },
    ...(brake && { guardian: brake.guardian }),
  });

  async function openGuardian(): Promise<Brake> {
    const setting = "IDENTITY_GUARDIAN_KEY";
    if (settings.guardianKey === undefined) {
      throw new InvalidInputError(`${setting} is not set; --brake needs the key of a guardian.`);
    }
    const key = await openKeySource(settings.guardianKey, setting, curve);
    return openBrake(chain, { chainId, registry, key });
  }

  /** Looks again where the node failed: a reorganisation may have taken a block away that was just about to be read. */
  async function look(): Promise<Look> {
    try {
      return await watch.look();
    } catch (error) {
      if (!(error instanceof ChainUnavailableError)) throw error;
      await delay(intervalMs);
      return await watch.look();
    }
  }

  /** Removes from the allowlist whoever signed a forged claim. Returns whether somebody had to be removed. */
  async function pull(brake: Brake, allowlist: readonly string[]): Promise<boolean> {
    const signers = findCulprits(watch.position.findings, allowlist, options);
    if (signers.length === 0) return false;
    const transactions = await brake.remove(signers);
    if (transactions.length > 0) tell({ event: "brake-sent", signers, transactions });
    return true;
  }

  let nextCheck = 0;
  async function checkBrake(brake: Brake, [signer]: readonly string[]): Promise<void> {
    if (performance.now() < nextCheck || signer === undefined) return;
    nextCheck = performance.now() + brakeCheckIntervalMs;
    await brake.check(signer);
    metrics.canBrake.set(1);
  }

  let brakeProblem: string | undefined;
  async function useBrake(allowlist: readonly string[]): Promise<void> {
    if (brake === undefined) return;
    try {
      if (!(await pull(brake, allowlist))) await checkBrake(brake, allowlist);
      brakeProblem = undefined;
    } catch (error) {
      metrics.canBrake.set(0);
      const problem = describe(error);
      if (problem !== brakeProblem) tell({ event: "cannot-brake", problem });
      brakeProblem = problem;
    }
  }

  /** Collects what nobody was told yet. */
  function collect({ head }: Look) {
    const untold = watch.position.findings.filter(({ isTold }) => !isTold);
    return {
      forged: untold.filter((each) => each.kind === "forged"),
      strangers: untold.filter((each) => each.kind === "stranger"),
      from: watch.position.since,
      to: head.number,
    };
  }

  function noteTold({ head }: Look): void {
    for (const finding of watch.position.findings) finding.isTold = true;
    watch.position.since = head.number + 1;
  }

  /** Judges up to the newest block, once. The findings count as told once `told` is called. */
  async function once() {
    const looked = await look();
    watch.save();
    await useBrake(looked.allowlist);
    return {
      ...collect(looked),
      told() {
        noteTold(looked);
        watch.save();
      },
    };
  }

  let allowed: readonly string[] = [];
  async function step(): Promise<number> {
    const looked = await look();
    await useBrake(looked.allowlist);
    watch.save();
    for (const finding of looked.undone) tell({ event: "undone", finding });
    for (const finding of watch.position.findings) {
      if (!finding.isTold) tell({ event: finding.kind, finding });
    }
    for (const signer of allowed) {
      if (!looked.allowlist.includes(signer)) tell({ event: "removed", signer });
    }
    allowed = looked.allowlist;
    noteTold(looked);
    watch.save();
    metrics.note(watch.position.findings);
    metrics.judged.set(looked.head.timestamp);
    return looked.head.number;
  }

  /** Goes on until it is stopped. */
  async function run(stop: AbortSignal): Promise<void> {
    const { metricsPort, metricsHost } = settings;
    const close =
      metricsPort === undefined ? undefined : await metrics.serve({ host: metricsHost, port: metricsPort });
    let problem: string | undefined;
    while (!stop.aborted) {
      try {
        const block = await step();
        if (problem !== undefined) tell({ event: "judges-again", block });
        problem = undefined;
      } catch (error) {
        const said = describe(error);
        if (said !== problem) tell({ event: "cannot-judge", problem: said });
        problem = said;
      }
      const pause = problem === undefined ? intervalMs : failureIntervalMs;
      await delay(pause, undefined, { signal: stop }).catch(() => undefined);
    }
    close?.();
  }

  return { once, run };
}

/** What keeps from judging, in a sentence; any other error is one of ours. */
export function describeNoVerdict(error: unknown): string | undefined {
  if (error instanceof ChainUnavailableError) return `The node (IDENTITY_RPC_URL): ${error.message}`;
  if (error instanceof StoreUnavailableError) return `The store (IDENTITY_DATABASE_URL): ${error.message}.`;
  return error instanceof InvalidInputError ? error.message : undefined;
}

function describe(error: unknown): string {
  const said = describeNoVerdict(error);
  if (said === undefined) throw error;
  return said;
}
