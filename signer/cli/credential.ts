import { type Report, tell } from "../../console/report.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { CredentialStore } from "../index.ts";
import {
  deleteCredential,
  type Given,
  listCredentials,
  readCredential,
  reportErasure,
  setCredential,
} from "../operations/credentials.ts";
import { eraseAgain } from "./eraseAgain.ts";
import { readStoreOptions, withExistingStore, withReadableStore } from "./storeSettings.ts";

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
  const credential = await readCredential({ ...given, accountId, authenticatedAt });
  return await use((store) => setCredential(store, credential), json);
}

export async function list({ json = false, ...given }: Given<"wallet"> & Json): Promise<number> {
  await withReadableStore(readStoreOptions(process.env), (store) =>
    listCredentials(store, { ...given, json }),
  );
  return 0;
}

export async function remove({
  json,
  ...given
}: Given<"wallet" | "provider" | "from"> & Json): Promise<number> {
  return await use((store) => deleteCredentials(store, given), json);
}

async function use(act: (store: CredentialStore) => Promise<Report>, json?: boolean): Promise<number> {
  return tell(await withExistingStore(readStoreOptions(process.env), act), json);
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
