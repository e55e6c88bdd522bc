import { parseArgs } from "node:util";
import { flag, text } from "../../console/options.ts";
import { type Report, tell } from "../../console/report.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { CredentialStore } from "../index.ts";
import {
  awaitErasure,
  deleteCredential,
  type Given,
  listCredentials,
  readCredential,
  setCredential,
} from "../operations/credentials.ts";
import { groupCommands } from "./commands.ts";
import { eraseAgain } from "./eraseAgain.ts";
import { readStoreOptions, withExistingStore, withReadableStore } from "./storeSettings.ts";

export const credential = groupCommands("credential", {
  async set(args) {
    const { values } = parseArgs({
      args,
      options: {
        wallet: text,
        provider: text,
        from: text,
        "account-id": text,
        traits: text,
        "authenticated-at": text,
        json: flag,
      },
    });
    const { "account-id": accountId, "authenticated-at": authenticatedAt, ...given } = values;
    const credential = await readCredential({ ...given, accountId, authenticatedAt });
    return await use((store) => setCredential(store, credential), values.json);
  },
  async list(args) {
    const options = { wallet: text, provider: text, limit: text, json: flag };
    const { values } = parseArgs({ args, options });
    await withReadableStore(readStoreOptions(process.env), (store) =>
      listCredentials(store, { ...values, json: values.json === true }),
    );
    return 0;
  },
  async delete(args) {
    const options = { wallet: text, provider: text, from: text, json: flag };
    const { values } = parseArgs({ args, options });
    return await use((store) => deleteCredentials(store, values), values.json);
  },
});

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
  const { json, text } = await eraseAgain(store, from);
  const { erased, words } = await awaitErasure(store);
  return { json: { ...json, erased }, text: text + words };
}
