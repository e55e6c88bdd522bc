import { optional, parseCount } from "../../console/options.ts";
import { plural } from "../../console/plural.ts";
import { print, printError, visibleLine } from "../../console/print.ts";
import { showProgress } from "../../console/progress.ts";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import {
  describeNoVerdict,
  type ForgedClaim,
  prepareWatch,
  readWatchSettings,
  type Stranger,
  type WatchEvent,
} from "../index.ts";
import { readServiceUrl } from "../operations/askService.ts";
import { readServiceSigners } from "../operations/serviceSigners.ts";

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
}

/** Compares claims on the chain with the audit trail. The exit code is 1 if a claim is forged or a signer unknown. */
export async function watch(values: Given): Promise<number> {
  try {
    return await run(values);
  } catch (error) {
    const problem = describeNoVerdict(error);
    if (problem === undefined) throw error;
    throw new InvalidInputError(`Nothing was judged: ${problem}`);
  }
}

async function run(values: Given): Promise<number> {
  const { once = false, json = false, brake = false } = values;
  const settings = readWatchSettings(process.env);
  const addresses = (name: "signer" | "other-signer" | "consumer") =>
    new Set((values[name] ?? []).map((address) => parseAddress(`--${name}`, address)));
  const [signers, others] = [addresses("signer"), addresses("other-signer")];
  const services = (values.service ?? []).map((url) => readServiceUrl("--service", url));
  const say = json ? (event: WatchEvent) => print(JSON.stringify(toJson(event))) : tell;
  const watched = await prepareWatch(settings, {
    brake,
    others,
    consumers: addresses("consumer"),
    fromBlock: optional(values["from-block"], (text) => parseCount("--from-block", text)),
    positionFile: values["position-file"] || "watch-position",
    readKnown: async () => new Set([...signers, ...others, ...(await askServices(services, settings))]),
    onProgress: once
      ? showProgress((judged, of) => `Judged up to block ${judged} of ${of}.`)
      : () => undefined,
    tell: once ? tellError : say,
  });
  if (!once) {
    const stopping = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stopping.abort());
    await watched.run(stopping.signal);
    return 0;
  }
  const { forged, strangers, from, to, told } = await watched.once();
  print(
    json
      ? JSON.stringify({ forged: forged.map(shorten), strangers: strangers.map(shorten), from, to })
      : [...forged, ...strangers]
          .map((finding) => visibleLine(describeFinding(finding)))
          .concat(
            `Blocks ${from} to ${to}: ${plural(forged.length, "forged claim")}, ${plural(strangers.length, "unknown signer")}.`,
          )
          .join("\n"),
  );
  told();
  return forged.length + strangers.length > 0 ? 1 : 0;
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
  const { signer, transactionHash } = finding;
  if (finding.kind === "stranger") return { signer, transactionHash };
  const { consumer, round, identityHash } = finding;
  return { consumer, round, identityHash, transactionHash, signer };
}

const toJson = (event: WatchEvent) => ({
  time: new Date().toISOString(),
  ...("finding" in event
    ? { event: event.event, ...shorten(event.finding), block: event.finding.block }
    : event),
});

function tell(event: WatchEvent): void {
  print(visibleLine(`${new Date().toISOString()}  ${describe(event)}`));
}

function tellError(event: WatchEvent): void {
  if (event.event !== "watching") printError(visibleLine(describe(event)));
}

function describe(event: WatchEvent): string {
  switch (event.event) {
    case "watching":
      return `Watching the claims at the registry ${event.registry} from block ${event.from}${event.guardian === undefined ? "" : `; the guardian ${event.guardian} removes who signs a forged one`}.`;
    case "undone":
      return `Undone by a reorganisation: ${describeFinding(event.finding)}`;
    case "cannot-judge":
      return `CANNOT JUDGE: ${event.problem}`;
    case "cannot-brake":
      return `CANNOT BRAKE: ${event.problem}`;
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

function describeFinding(finding: ForgedClaim | Stranger): string {
  const { block, transactionHash, signer } = finding;
  const where = `in block ${block}, transaction ${transactionHash}`;
  if (finding.kind === "stranger") return `UNKNOWN SIGNER ${signer} was added ${where}.`;
  return `FORGED CLAIM at ${finding.consumer} ${where}: the audit trail has no verification of ${finding.identityHash}, round ${BigInt(finding.round)}. Signer: ${signer}.`;
}
