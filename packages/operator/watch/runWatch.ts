import { setTimeout as delay } from "node:timers/promises";
import { ChainUnavailableError, connectChain } from "@hardhat-identity/chain/connect";
import { isLocalNode } from "@hardhat-identity/chain/localNode";
import { development } from "@hardhat-identity/protocol/development";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { protocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import { openCurve, openHashes, openKeySource } from "@hardhat-identity/signer/keys";
import { withRemedy } from "@hardhat-identity/signer/settings";
import { StoreUnavailableError } from "@hardhat-identity/signer/store";
import { type Brake, findCulprits, mayBrake, openBrake } from "./brake.ts";
import type { Finding } from "./finding.ts";
import type { Header } from "./header.ts";
import { createWatchMetrics } from "./metrics.ts";
import { paceNode } from "./node.ts";
import { positionKeeper } from "./position.ts";
import type { WatchSettings } from "./settings.ts";
import { openTeller } from "./teller.ts";
import { openWatch, type WatchOptions } from "./watchRegistry.ts";

export type RunOptions = Pick<WatchOptions, "others" | "consumers" | "readKnown" | "fromBlock" | "confirm"> &
  Pick<Parameters<typeof openTeller>[0], "tell" | "onProgress"> & {
    /** Whether to remove the signer of a forged claim. */
    readonly brake: boolean;
    readonly positionFile: string;
    /** Seconds from one look to the next; `undefined` for as many as the chain's blocks are worth. */
    readonly interval?: number | undefined;
    /** Ends pauses. */
    readonly stop?: AbortSignal;
  };

/** Milliseconds from one look at the chain to the next: of a fast one, of a slow one, and after a failure. */
const [fastMs, slowMs, failureMs] = [1_000, 3_000, 5_000];

/** Seconds from block to block of a slow chain. */
const slowBlockSeconds = 8;

/** Milliseconds after which the brake is tried again. */
const brakeCheckEveryMs = 60_000;

/** Milliseconds for one question to the node, and bytes of an answer: of all events that a block has room for. */
const [nodeTimeoutMs, answerLimit] = [20_000, 16 * 1024 * 1024];

/** Tries of a watch that judges once, where the node does not prove all events. */
const maxTries = 10;

/** Seconds by which this machine's clock may be ahead of the clock of what answers for the node. */
const maxAheadSeconds = 30;

/**
 * Opens a watch of a registry.
 *
 * @throws InvalidInputError when it cannot watch as configured.
 */
export async function prepareWatch(settings: WatchSettings, options: RunOptions) {
  const { chainId, registry, databaseUrl, encryptionSecret } = settings;
  let aheadSeconds = 0;
  const chain = connectChain({
    url: settings.rpcUrl,
    chainId,
    timeLimit: nodeTimeoutMs,
    sizeLimit: answerLimit,
    onDate: (time) => {
      aheadSeconds = Math.round((Date.now() - time) / 1_000);
    },
  });
  const node = paceNode(chain, options.stop);
  const isLocalSecret =
    settings.masterSecret === undefined || settings.masterSecret === development.masterSecret;
  const isLocal = isLocalSecret && (await isLocalNode(node));
  if (settings.masterSecret === undefined && !isLocal) {
    throw new InvalidInputError(
      "IDENTITY_MASTER_SECRET is not set; the audit trail cannot be read without it.",
    );
  }
  const masterSecret = settings.masterSecret ?? development.masterSecret;
  const hashes = await openHashes();
  const curve = openCurve(hashes);
  const access = { databaseUrl, masterSecret, encryptionSecret, chainId };
  const keeper = await positionKeeper(access, { chainId, registry, file: options.positionFile });
  const metrics = createWatchMetrics();
  const teller = openTeller({ ...options, webhook: settings.watchWebhook, metrics });
  const brake = options.brake ? await openGuardian() : undefined;

  async function openGuardian(): Promise<Brake> {
    const setting = "IDENTITY_GUARDIAN_KEY";
    if (settings.guardianKey === undefined) {
      throw new InvalidInputError(`${setting} is not set; --brake needs the key of a guardian.`);
    }
    const key = await openKeySource(settings.guardianKey, setting, curve);
    return openBrake(node, { chainId, registry, key });
  }

  let nextCheck = 0;
  /** Removes the signers of forged claims from the allowlist, or checks from time to time that it could. */
  async function useBrake(): Promise<void> {
    if (brake === undefined) return;
    try {
      const isDue = [...watch.findings.all()].some((each) => mayBrake(each, options));
      const allowlist = await watch.readAllowlist(isDue);
      const signers = isDue ? findCulprits(watch.findings.all(), allowlist, options) : [];
      if (signers.length > 0) {
        const transactions = await brake.remove(signers);
        if (transactions.length > 0) teller.tell({ event: "brake-sent", signers, transactions });
      } else if (performance.now() >= nextCheck && allowlist[0] !== undefined) {
        nextCheck = performance.now() + brakeCheckEveryMs;
        await brake.check(allowlist[0]);
        metrics.canBrake.set(1);
      }
      teller.trouble("cannot-brake", undefined);
    } catch (error) {
      metrics.canBrake.set(0);
      teller.trouble("cannot-brake", describe(error));
    }
  }

  /** The reports of a watch that judges once. */
  let told: Finding[] | undefined;
  async function act(): Promise<void> {
    await useBrake();
    for (const finding of watch.findings.all()) {
      if (finding.isTold) continue;
      teller.tell({ event: finding.kind, finding }, finding.kind === "unproven");
      finding.isTold = true;
      told?.push(finding);
    }
    metrics.note(watch.findings.all());
  }

  const watch = await openWatch({
    ...options,
    ...access,
    registry,
    node,
    curve,
    hashes: protocolHashes(hashes),
    keeper,
    teller,
    isLocal,
    act,
  });
  teller.tell({
    event: "watching",
    registry,
    from: watch.position.confirmed.number + 1,
    ...(brake && { guardian: brake.guardian }),
  });

  let clockProblem: string | undefined;
  let blockSeconds = 0;
  let former: Header | undefined;
  async function look(): Promise<Header> {
    const head = await watch.look(() => aheadSeconds);
    // A chain may have no new block for a while.
    metrics.judged.set(head.timestamp);
    if (former !== undefined && head.number > former.number) {
      blockSeconds = (head.timestamp - former.timestamp) / (head.number - former.number);
    }
    former = head;
    clockProblem =
      isLocal || aheadSeconds <= maxAheadSeconds
        ? undefined
        : (clockProblem ??
          `This machine's clock is ${aheadSeconds} s ahead of the node's. Synchronize it (NTP).`);
    teller.trouble("clock-ahead", clockProblem);
    // Even without a new block: a removal may have to be sent again.
    await act();
    await watch.readAllowlist(false);
    teller.tellPart();
    watch.position.since = head.number + 1;
    return head;
  }

  /** Judges up to the newest block, once. */
  async function once() {
    const found: Finding[] = [];
    told = found;
    const from = watch.position.since;
    for (let tries = 0; ; tries++) {
      const isLast = tries === maxTries;
      try {
        const head = await look();
        // Contracts that nobody knows can make events for which no proof ever comes.
        if (watch.isPending(isLast))
          throw new ChainUnavailableError("The node lags: it does not prove all events.");
        const isSaved = watch.save(head);
        await teller.end(10_000);
        found.sort((a, b) => a.block - b.block);
        return { found, from, to: head.number, isSaved };
      } catch (error) {
        // A reorganization may have taken a block away that was just about to be read.
        const isOver = isLast || (tries > 0 && !watch.isPending(false));
        if (!(error instanceof ChainUnavailableError) || isOver) throw error;
        await delay(fastMs);
      }
    }
  }

  /** Goes on until it is stopped. */
  async function run(stop: AbortSignal): Promise<void> {
    const { metricsPort, metricsHost } = settings;
    const close =
      metricsPort === undefined ? undefined : await metrics.serve({ host: metricsHost, port: metricsPort });
    let failures = 0;
    while (!stop.aborted) {
      try {
        const { number } = await look();
        if (teller.trouble("cannot-judge", undefined)) teller.tell({ event: "judges-again", block: number });
        failures = 0;
      } catch (error) {
        if (stop.aborted) break;
        const problem = describe(error);
        // A reorganization may have taken a block away that was just about to be read.
        failures += error instanceof ChainUnavailableError ? 1 : 2;
        if (failures > 1) teller.trouble("cannot-judge", problem);
        await act();
      }
      const usualMs = isLocal || blockSeconds < slowBlockSeconds ? fastMs : slowMs;
      const askedMs = options.interval === undefined ? usualMs : options.interval * 1_000;
      const pauseMs = failures > 1 ? failureMs : askedMs;
      await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    }
    await teller.end(2_000);
    close?.();
  }

  return { once, run };
}

/** Says in a sentence why the watch cannot judge; any other error is a bug. */
export function describeNoVerdict(error: unknown): string | undefined {
  if (error instanceof ChainUnavailableError)
    return `The node (IDENTITY_RPC_URL): ${withRemedy(error.message, error.kind)}`;
  if (error instanceof StoreUnavailableError) return `The store (IDENTITY_DATABASE_URL): ${error.message}.`;
  return error instanceof InvalidInputError ? error.message : undefined;
}

function describe(error: unknown): string {
  const said = describeNoVerdict(error);
  if (said === undefined) throw error;
  return said;
}
