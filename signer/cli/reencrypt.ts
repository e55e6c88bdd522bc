import { parseArgs } from "node:util";
import { type CredentialStore, reencryptStore } from "../index.ts";
import { plural } from "./plural.ts";
import { print, visibleLine } from "./print.ts";
import { showProgress } from "./progress.ts";
import { readStoreOptions, withExistingStore } from "./storeSettings.ts";

/** `identity-signer re-encrypt [--status]`: answers the exit code, 1 where rows of another key are left. */
export async function reencrypt(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { status: { type: "boolean" } } });
  return await withExistingStore(readStoreOptions(process.env), async (store) => {
    const progress = showProgress((rows: number) => `Looked at ${plural(rows, "row")}.`);
    const { keys, changed } = await reencryptStore(store, { dryRun: values.status === true, progress });
    const [current = ""] = await store.keyIds();
    if (!values.status) print(`Re-encrypted ${plural(changed, "row")}.`);
    for (const line of describeKeys(keys, current)) print(visibleLine(line));
    return Object.keys(keys).every((id) => id === current) ? 0 : 1;
  });
}

type Keys = Awaited<ReturnType<CredentialStore["reencrypt"]>>["keys"];

function describeKeys(keys: Keys, current: string): string[] {
  const rows = Object.entries({ [current]: 0, ...keys });
  return rows.map(
    ([id, count]) => `key ${id}  ${plural(count, "row")}${id === current ? ", and every new one" : ""}`,
  );
}
