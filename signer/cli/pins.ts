import { describeAge } from "../../console/age.ts";
import { printList } from "../../console/printList.ts";
import { type Report, tell } from "../../console/report.ts";
import { parseAddress } from "../../protocol/address.ts";
import { type CredentialStore, everyPin, type Pin, type ReadableStore } from "../index.ts";
import { readStoreOptions, withExistingStore, withReadableStore } from "./storeSettings.ts";

export async function list({ json = false }: { json?: boolean }): Promise<number> {
  await withReadableStore(readStoreOptions(process.env), (store) => listPins(store, json));
  return 0;
}

export async function reset(given: { consumer?: string; json?: boolean }): Promise<number> {
  const consumer = parseAddress("--consumer", given.consumer);
  const found = await withExistingStore(readStoreOptions(process.env), (store) => resetPins(store, consumer));
  return tell(found, given.json);
}

/** Prints the policies that contracts are held to. */
async function listPins(store: ReadableStore, json: boolean): Promise<void> {
  if (json) await printList(asJson(everyPin(store)), { json, describe: () => [], none: "" });
  else await printList(everyPin(store), { json, describe: describePin, none: "No pins." });
}

/** Forgets what a contract is held to. */
async function resetPins(store: CredentialStore, consumer: string): Promise<Report> {
  const reset = await store.resetPins(consumer);
  return {
    json: { consumer, reset: reset.map(toJson) },
    text:
      reset.length === 0
        ? `${consumer} is not held to any policy.`
        : `Reset. The pin was:\n${reset.flatMap(describePin).join("\n")}`,
    refused: reset.length === 0,
  };
}

async function* asJson(pins: ReturnType<typeof everyPin>) {
  for await (const pin of pins) yield toJson(pin);
}

/** A pin for scripts: its cutoff may have more digits than a JSON number holds. */
function toJson({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): object {
  return { chainId, consumer, policyHash, cutoffBlock: String(cutoffBlock), pinnedAt };
}

/** A pin for people. */
function describePin({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): string[] {
  return [
    `${consumer} on chain ${chainId}, pinned ${describeAge(pinnedAt)}`,
    `  policy ${policyHash}, cutoff block ${cutoffBlock}`,
  ];
}
