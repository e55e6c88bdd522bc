import { optional, parseCount } from "@hardhat-identity/console/options";
import { plural } from "@hardhat-identity/console/plural";
import { print, printError, visibleLine } from "@hardhat-identity/console/print";
import { readServiceUrl } from "@hardhat-identity/console/probeService";
import { showProgress } from "@hardhat-identity/console/progress";
import { readServiceSigners } from "@hardhat-identity/console/serviceSigners";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readWatchSettings } from "@hardhat-identity/signer";
import type { Finding, ForgedClaim, Stranger } from "../watch/finding.ts";
import { describeNoVerdict, prepareWatch, type WatchEvent } from "../watch/runWatch.ts";

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

/** Compares claims on the chain with the audit trail. The exit code is 1 if a claim is forged or a signer unknown. */
export async function watch(values: Given): Promise<number> {
  let judged: number | undefined;
  try {
    return await runWatch(values, (block) => {
      judged = block;
    });
  } catch (error) {
    const problem = describeNoVerdict(error);
    if (problem === undefined) throw error;
    const what = judged === undefined ? "Nothing was judged" : `Nothing was judged after block ${judged}`;
    throw new InvalidInputError(`${what}: ${problem}`);
  }
}

async function runWatch(values: Given, onJudged: (block: number) => void): Promise<number> {
  const { once = false, json = false, brake = false } = values;
  const settings = readWatchSettings(process.env);
  const addresses = (name: "signer" | "other-signer" | "consumer") =>
    new Set((values[name] ?? []).map((address) => parseAddress(`--${name}`, address)));
  const [signers, others] = [addresses("signer"), addresses("other-signer")];
  const services = (values.service ?? []).map((url) => readServiceUrl("--service", url));
  const { confirm = "safe" } = values;
  if (confirm !== "safe" && confirm !== "finalized")
    throw new InvalidInputError(`--confirm must be safe or finalized, got ${JSON.stringify(confirm)}.`);
  const stopping = new AbortController();
  const showJudged = showProgress((judged: number, of: number) => `Judged up to block ${judged} of ${of}.`);
  const say = json ? (event: WatchEvent) => print(JSON.stringify(toJson(event))) : tell;
  const watched = await prepareWatch(settings, {
    brake,
    others,
    consumers: addresses("consumer"),
    confirm,
    interval: optional(values.interval, (text) => parseCount("--interval", text)),
    fromBlock: optional(values["from-block"], (text) => parseCount("--from-block", text)),
    positionFile: values["position-file"] || "watch-position",
    readKnown: async () => new Set([...signers, ...others, ...(await askServices(services, settings))]),
    onProgress(judged, of) {
      onJudged(judged);
      if (once) showJudged(judged, of);
    },
    stop: stopping.signal,
    tell: once ? (event) => tellOnce(event, json) : say,
    toJson,
  });
  if (!once) {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stopping.abort());
    await watched.run(stopping.signal);
    return 0;
  }
  const { forged, unproven, strangers, from, to, problem } = await watched.once();
  const counts = [plural(forged.length, "forged claim"), plural(strangers.length, "unknown signer")];
  if (unproven.length > 0) counts.push(plural(unproven.length, "unproven claim"));
  print(
    json
      ? JSON.stringify({
          time: new Date().toISOString(),
          event: "judged",
          forged: forged.map(shorten),
          strangers: strangers.map(shorten),
          unproven: unproven.map(shorten),
          from,
          to,
        })
      : `Blocks ${from} to ${to}: ${counts.join(", ")}.`,
  );
  if (forged.length + strangers.length > 0) return 1;
  return problem === undefined ? 0 : 2;
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

/** A finding as scripts get it. */
function shorten(finding: ForgedClaim | Stranger): object {
  const { signer, transactionHash, block } = finding;
  if (finding.kind === "stranger") return { signer, transactionHash, block };
  const { consumer, round, identityHash } = finding;
  return { consumer, round, identityHash, transactionHash, signer, block };
}

const toJson = (event: WatchEvent): object => ({
  time: new Date().toISOString(),
  ...("finding" in event ? { event: event.event, ...shorten(event.finding) } : event),
});

function tell(event: WatchEvent): void {
  print(visibleLine(`${new Date().toISOString()}  ${describeEvent(event)}`));
}

/** Tells on standard output what was found, as the watch that goes on does, and on standard error what is not known. */
function tellOnce(event: WatchEvent, json: boolean): void {
  const isProgress = event.event === "watching" || event.event === "catching-up";
  if (isProgress) return;
  if (json) print(JSON.stringify(toJson(event)));
  else if ("finding" in event) print(visibleLine(describeEvent(event)));
  else printError(visibleLine(describeEvent(event)));
}

function describeEvent(event: WatchEvent): string {
  switch (event.event) {
    case "watching":
      return `Watching the claims at the registry ${event.registry} from block ${event.from}${event.guardian === undefined ? "" : `; the guardian ${event.guardian} removes who signs a forged one`}.`;
    case "undone":
      return `Undone by a reorganisation: ${describeFinding(event.finding)}`;
    case "cannot-judge":
      return `CANNOT JUDGE: ${event.problem}`;
    case "cannot-brake":
      return `CANNOT BRAKE: ${event.problem}`;
    case "cannot-save":
      return `CANNOT SAVE the position: ${event.problem}`;
    case "cannot-post":
    case "clock-ahead":
      return event.problem;
    case "judged-in-part":
      return `Judged in part: blocks ${event.from} to ${event.to}${event.addresses.length === 0 ? "" : `, ${event.addresses.join(", ")}`}. ${event.problem}`;
    case "catching-up":
      return `Judged up to block ${event.block} of ${event.of}.`;
    case "judges-again":
      return `Judges again, up to block ${event.block}.`;
    case "brake-sent":
      return `Sent the removal of ${event.signers.join(", ")}: ${event.transactions.join(", ")}.`;
    case "removed":
      return `The registry refuses the signer ${event.signer} now.`;
    default:
      return describeFinding(event.finding);
  }
}

function describeFinding(finding: Finding): string {
  const { block, transactionHash, signer } = finding;
  const where = `in block ${block}, transaction ${transactionHash}`;
  if (finding.kind === "stranger") return `UNKNOWN SIGNER ${signer} was added ${where}.`;
  const what = finding.kind === "forged" ? "FORGED CLAIM" : "Unproven claim";
  return `${what} at ${finding.consumer} ${where}: the audit trail has no verification of ${finding.identityHash}, round ${BigInt(finding.round)}. Signer: ${signer}.`;
}
