import { describeAge } from "@hardhat-identity/console/age";
import { print } from "@hardhat-identity/console/print";
import { printList } from "@hardhat-identity/console/printList";
import { printReport, type Report } from "@hardhat-identity/console/report";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";
import { everyPin, type Pin } from "@hardhat-identity/store/credentials/pins";
import {
  deleteCredential,
  type Given,
  listCredentials,
  readGivenCredential,
  reportErasure,
  setCredential,
} from "../operations/credentials.ts";
import { eraseAgain } from "./eraseAgain.ts";
import { readServiceStore, withServiceStore } from "./serviceStore.ts";

interface Json {
  readonly json?: boolean;
}

export async function set({
  "account-id": accountId,
  "authenticated-at": authenticatedAt,
  json,
  ...given
}: Given<"wallet" | "provider" | "from" | "account-id" | "traits" | "authenticated-at"> &
  Json): Promise<number> {
  const credential = await readGivenCredential({ ...given, accountId, authenticatedAt });
  return await use((store) => setCredential(store, credential), json);
}

export async function list({ json = false, ...given }: Given<"wallet"> & Json): Promise<number> {
  await readServiceStore((store) => listCredentials(store, { ...given, json }));
  return 0;
}

export async function remove({
  json,
  ...given
}: Given<"wallet" | "provider" | "from"> & Json): Promise<number> {
  return await use((store) => deleteCredentials(store, given), json);
}

async function use(act: (store: CredentialStore) => Promise<Report>, json?: boolean): Promise<number> {
  return printReport(await withServiceStore(act), json);
}

/** Erases a wallet's credential, or again all that a list of the audit trail says was erased. */
async function deleteCredentials(
  store: CredentialStore,
  { from, ...args }: Given<"wallet" | "provider" | "from">,
): Promise<Report> {
  if (from === undefined) return await deleteCredential(store, args);
  if (args.wallet !== undefined || args.provider !== undefined) {
    throw new InvalidInputError("--from lists what to erase; give no --wallet and no --provider, too.");
  }
  return await reportErasure(store, await eraseAgain(store, from));
}

export async function listPins({ json = false }: Json): Promise<number> {
  const shown = { json, toJson: pinToJson, describe: describePin, none: "No pins." };
  await readServiceStore((store) => printList(everyPin(store), shown));
  return 0;
}

/** Removes a contract's pin. */
export async function resetPins({ json, ...given }: { consumer?: string } & Json): Promise<number> {
  const consumer = parseAddress("--consumer", given.consumer);
  const reset = await withServiceStore((store) => store.resetPins(consumer));
  const refused = reset.length === 0;
  const text = refused
    ? `${consumer} is not held to any policy.`
    : `Reset. The pin was:\n${reset.flatMap(describePin).join("\n")}`;
  return printReport({ json: { consumer, reset: reset.map(pinToJson) }, text, refused }, json);
}

/** A pin for scripts: its cutoff may have more digits than a JSON number holds. */
function pinToJson({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): object {
  return { chainId, consumer, policyHash, cutoffBlock: String(cutoffBlock), pinnedAt };
}

/** A pin for people. */
function describePin({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): string[] {
  return [
    `${consumer} on chain ${chainId}, pinned ${describeAge(pinnedAt)}`,
    `  policy ${policyHash}, cutoff block ${cutoffBlock}`,
  ];
}

export async function endSessions(): Promise<number> {
  await withServiceStore((store) => store.endSessions());
  print("All sessions of the verify page have ended. People have to sign in again.");
  return 0;
}
