import { print } from "../../console/print.ts";
import { readStoreOptions, withExistingStore } from "./storeSettings.ts";

export async function end(): Promise<number> {
  await withExistingStore(readStoreOptions(process.env), (store) => store.endSessions());
  print("Ended: whoever was signed in at the verify page has to sign in again.");
  return 0;
}
