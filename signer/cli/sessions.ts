import { print } from "../../console/print.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { readStoreOptions, withExistingStore } from "./storeSettings.ts";

/** `identity-signer sessions end`: answers the exit code. */
export async function sessions(args: string[]): Promise<number> {
  if (args.join(" ") !== "end") throw new InvalidInputError("sessions is followed by end, and nothing else.");
  await withExistingStore(readStoreOptions(process.env), (store) => store.endSessions());
  print("Ended: whoever was signed in at the verify page has to sign in again.");
  return 0;
}
