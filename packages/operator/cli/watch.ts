import { optional, parseCount } from "@hardhat-identity/console/options";
import { plural } from "@hardhat-identity/console/plural";
import { print, printError, visibleLine } from "@hardhat-identity/console/print";
import { readServiceUrl } from "@hardhat-identity/console/probeService";
import { showProgress } from "@hardhat-identity/console/progress";
import { readServiceSigners } from "@hardhat-identity/console/serviceSigners";
import { onStopSignal } from "@hardhat-identity/console/untilStopped";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { standardOutput } from "@hardhat-identity/signer/settings";
import { type Finding, isProven } from "../watch/judging/findings.ts";
import { prepareWatch } from "../watch/runWatch.ts";
import { readWatchSettings } from "../watch/settings.ts";
import { describeTrouble } from "../watch/telling/teller.ts";
import { describeEvent, eventToJson, findingToJson, type WatchEvent } from "../watch/telling/watchEvent.ts";

interface Given {
  once?: boolean;
  json?: boolean;
  brake?: boolean;
  "from-block"?: string;
  "position-file"?: string;
  signer?: string[];
  service?: string[];
  "other-signer"?: string[];
  consumer?: string[];
  confirm?: string;
  interval?: string;
}

/**
 * Compares claims on the chain with the audit trail. The exit code is 1 if a claim is proven to be forged, or a signer is
 * unknown.
 */
export async function watch(values: Given): Promise<number> {
  const { once = false, json = false, brake = false, confirm = "safe" } = values;
  const settings = readWatchSettings(process.env);
  const addresses = (name: "signer" | "other-signer" | "consumer") =>
    new Set((values[name] ?? []).map((address) => parseAddress(`--${name}`, address)));
  const [signers, others] = [addresses("signer"), addresses("other-signer")];
  const services = (values.service ?? []).map((url) => readServiceUrl("--service", url));
  if (confirm !== "safe" && confirm !== "finalized")
    throw new InvalidInputError(`--confirm must be safe or finalized, got ${JSON.stringify(confirm)}.`);
  const stopping = new AbortController();
  const consumers = addresses("consumer");
  const showJudged = showProgress((judged: number, of: number) => `Judged up to block ${judged} of ${of}.`);
  const found: Finding[] = [];
  let judged = "";
  try {
    const watched = await prepareWatch(settings, {
      brake,
      others,
      consumers,
      confirm,
      interval: optional(values.interval, parseInterval),
      fromBlock: optional(values["from-block"], (text) => parseCount("--from-block", text)),
      positionFile: values["position-file"] || "watch-position",
      readKnownSigners: async () =>
        new Set([...signers, ...others, ...(await askServices(services, settings))]),
      onProgress(block, of) {
        judged = ` after block ${block}`;
        if (once) showJudged(block, of);
      },
      stop: stopping.signal,
      tell(event) {
        writeEvent(event, { once, json, consumers });
        if (once && "finding" in event && event.event !== "undone") found.push(event.finding);
      },
    });
    if (once) return report(found, await watched.once(), { json, consumers });
    onStopSignal(() => stopping.abort());
    await watched.run();
    return 0;
  } catch (error) {
    const problem = describeTrouble(error);
    if (problem === undefined) throw error;
    throw new InvalidInputError(`Nothing was judged${judged}: ${problem}`);
  }
}

/** Seconds of the longest interval: a day. */
const maxIntervalSeconds = 86_400;

function parseInterval(text: string): number {
  const seconds = parseCount("--interval", text);
  if (seconds > 0 && seconds <= maxIntervalSeconds) return seconds;
  throw new InvalidInputError(`--interval must be from 1 to ${maxIntervalSeconds} seconds, got ${seconds}.`);
}

/** Prints the last line of a watch that judged once. Returns its exit code. */
function report(
  found: Finding[],
  blocks: { from: number; to: number; isSaved: boolean },
  { json, consumers }: { json: boolean; consumers: ReadonlySet<string> },
): number {
  const { isSaved, ...range } = blocks;
  found.sort((a, b) => a.block - b.block);
  const isForged = (finding: Finding) => isProven(finding, consumers);
  const select = (isIt: (finding: Finding) => boolean) => found.filter(isIt).map(findingToJson);
  const forged = select(isForged);
  const strangers = select(({ kind }) => kind === "stranger");
  const unattributed = select((finding) => finding.kind === "forged" && !isForged(finding));
  const unproven = select(({ kind }) => kind === "unproven");
  const counts = [plural(forged.length, "forged claim"), plural(strangers.length, "unknown signer")];
  if (unattributed.length > 0) counts.push(plural(unattributed.length, "unattributed claim"));
  if (unproven.length > 0) counts.push(plural(unproven.length, "unproven claim"));
  const time = new Date().toISOString();
  const judged =
    range.from > range.to
      ? `No block was judged: there is none after block ${range.to} yet. The next run begins there.`
      : `Blocks ${range.from} to ${range.to}: ${counts.join(", ")}.`;
  print(
    json
      ? JSON.stringify({ time, event: "judged", forged, strangers, unattributed, unproven, ...range })
      : judged,
  );
  if (forged.length + strangers.length > 0) return 1;
  return isSaved ? 0 : 2;
}

/** The signers of services that answer: one that is away must not keep a stranger from being told. */
async function askServices(
  urls: readonly string[],
  at: { readonly chainId: number; readonly registry: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const url of urls) {
    try {
      const { signer, nextSigner = signer } = await readServiceSigners(url, at);
      found.push(signer, nextSigner);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      printError(error.message);
    }
  }
  return found;
}

/**
 * Writes an event. A running watch waits for no reader and no disk, as the service with its log. A watch that judges
 * once tells people on standard output what was found, and on standard error what is not known. `showProgress` shows how
 * far it is.
 */
function writeEvent(
  event: WatchEvent,
  { once, json, consumers }: { once: boolean; json: boolean; consumers: ReadonlySet<string> },
): void {
  const said = json ? JSON.stringify(eventToJson(event)) : describeEvent(event, consumers);
  if (!once) standardOutput().write(`${visibleLine(json ? said : `${new Date().toISOString()}  ${said}`)}\n`);
  else if (event.event === "watching" || event.event === "catching-up") return;
  else if (json || "finding" in event) print(visibleLine(said));
  else printError(visibleLine(said));
}
