import { parseArgs } from "node:util";
import { print } from "../../console/print.ts";
import { groupCommands } from "./commands.ts";
import { readStoreOptions, withExistingStore } from "./storeSettings.ts";

export const sessions = groupCommands("sessions", { end });

async function end(args: string[]): Promise<number> {
  parseArgs({ args });
  await withExistingStore(readStoreOptions(process.env), (store) => store.endSessions());
  print("Ended: whoever was signed in at the verify page has to sign in again.");
  return 0;
}
