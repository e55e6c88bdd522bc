import { setTimeout as delay } from "node:timers/promises";
import { ChainUnavailableError, connectChain } from "@hardhat-identity/protocol/chain/connect";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import { development } from "@hardhat-identity/protocol/development";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { protocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import { KeyUnavailableError, openCurve, openHashes } from "@hardhat-identity/signer/keys";
import { guardianBrake } from "./guardian.ts";
import { positionKeeper } from "./position.ts";
import type { Header } from "./reading/header.ts";
import { paceNode } from "./reading/node.ts";
import type { WatchSettings } from "./settings.ts";
import { createWatchMetrics } from "./telling/metrics.ts";
import { openTeller } from "./telling/teller.ts";
import type { WatchEvent } from "./telling/watchEvent.ts";
import { openWatch, type WatchOptions } from "./watchRegistry.ts";

export interface RunOptions
  extends Pick<WatchOptions, "others" | "consumers" | "readKnownSigners" | "fromBlock" | "confirm"> {
  readonly tell: (event: WatchEvent) => void;
  /** Called after each range with the last block that was judged, and the last one there is. */
  readonly onProgress: (judged: number, of: number) => void;
  /** Whether to remove the signer of a forged claim. */
  readonly brake: boolean;
  readonly positionFile: string;
  /** Seconds from one look to the next; `undefined` for as many as the chain's blocks are worth. */
  readonly interval?: number | undefined;
  /** Ends a watch that goes on. */
  readonly stop?: AbortSignal;
}

/** Milliseconds from one look at a fast chain to the next. */
const fastMs = 1_000;

/** The same for a slow chain. */
const slowMs = 3_000;

/** The same after a failure. */
const failureMs = 5_000;

/** Seconds from block to block of a slow chain. */
const slowBlockSeconds = 8;

/** Milliseconds for one question to the node. */
const nodeTimeoutMs = 20_000;

/** Bytes of an answer: of all events that a block has room for. */
const answerLimit = 16 * 1024 * 1024;

/** Milliseconds that a watch that judges once waits for its webhook: as long as an event is posted again. */
const lastPostsMs = 120_000;

/** Tries of a watch that judges once, where the node does not prove all events. */
const maxTries = 10;

/**
 * Opens a watch of a registry.
 *
 * @throws InvalidInputError when it cannot watch as configured.
 */
export async function prepareWatch(settings: WatchSettings, options: RunOptions) {
  const { chainId, registry, databaseUrl, encryptionSecret } = settings;
  const { interval, stop } = options;
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
  const node = paceNode(chain, stop);
  const { masterSecret = development.masterSecret } = settings;
  const isLocal = masterSecret === development.masterSecret && (await isLocalNode(node));
  if (settings.masterSecret === undefined && !isLocal)
    throw new InvalidInputError(
      "IDENTITY_MASTER_SECRET is not set; the audit trail cannot be read without it.",
    );
  const hashes = await openHashes();
  const curve = await openCurve(hashes);
  const access = { databaseUrl, masterSecret, encryptionSecret, chainId };
  const keeper = await positionKeeper(access, { chainId, registry, file: options.positionFile });
  const metrics = createWatchMetrics();
  const teller = openTeller({ ...options, webhook: settings.watchWebhook, metrics });

  const openBrake = options.brake ? guardianBrake(settings, chain, curve) : undefined;
  // A key that is away is asked again at each look.
  const brake = await openBrake?.().catch((error: unknown) => {
    if (!(error instanceof KeyUnavailableError)) throw error;
    return undefined;
  });

  const watch = await openWatch({
    ...options,
    ...access,
    registry,
    node,
    curve,
    hashes: protocolHashes(hashes),
    keeper,
    teller,
    metrics,
    openBrake,
    guardian: brake?.guardian,
    isLocal,
    readAhead: () => aheadSeconds,
  });

  /** Judges up to the newest block, once. */
  async function once() {
    await watch.readTrail();
    for (let tries = 0; ; tries++) {
      const isLast = tries === maxTries;
      try {
        const head = await watch.look();
        // Any contract can make events for which no proof ever comes.
        if (isLast) await watch.giveUp(head);
        if (watch.isWaiting(isLast ? "named" : "any"))
          throw new ChainUnavailableError("The node lags: it does not prove all events.");
        await teller.end(lastPostsMs);
        return { from: watch.from, to: head.number, isSaved: watch.save(head) };
      } catch (error) {
        // A reorganization may have taken a block away that was just about to be read.
        const isOver = isLast || (tries > 0 && !watch.isWaiting("any"));
        if (!(error instanceof ChainUnavailableError) || isOver) throw error;
        await delay(fastMs);
      }
    }
  }

  /** Goes on until it is stopped. */
  async function run(): Promise<void> {
    const { metricsPort, metricsHost } = settings;
    const close =
      metricsPort === undefined ? undefined : await metrics.serve({ host: metricsHost, port: metricsPort });
    let failures = 0;
    let former: Header | undefined;
    let usualMs = fastMs;
    while (!stop?.aborted) {
      try {
        const head = await watch.look();
        if (teller.endTrouble("cannot-judge")) teller.tell({ event: "judges-again", block: head.number });
        failures = 0;
        if (former !== undefined && head.number > former.number) {
          const blockSeconds = (head.timestamp - former.timestamp) / (head.number - former.number);
          usualMs = isLocal || blockSeconds < slowBlockSeconds ? fastMs : slowMs;
        }
        former = head;
      } catch (error) {
        if (stop?.aborted) break;
        // A reorganization may have taken a block away that was just about to be read.
        failures += error instanceof ChainUnavailableError ? 1 : 2;
        if (failures > 1) teller.trouble("cannot-judge", error);
        await watch.act();
      }
      const askedMs = interval === undefined ? usualMs : interval * 1_000;
      await delay(failures > 1 ? failureMs : askedMs, undefined, { signal: stop }).catch(() => undefined);
    }
    await teller.end(2_000);
    if (former !== undefined) watch.save(former);
    close?.();
  }

  return { once, run };
}
