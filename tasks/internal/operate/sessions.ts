import { InvalidInputError } from "../../../protocol/errors.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { readAuditOption, readStoreSecrets } from "./storeSettings.ts";

/** `identity-signer sessions end`: answers the exit code. */
export async function sessions(args: string[]): Promise<number> {
  if (args.join(" ") !== "end") throw new InvalidInputError("sessions is followed by end, and nothing else.");
  const store = await openCredentialStore({
    ...readStoreSecrets(process.env),
    ...readAuditOption(process.env),
  });
  try {
    await store.endSessions();
  } finally {
    await store.close();
  }
  console.log("Ended: whoever was signed in at the verify page has to sign in again.");
  return 0;
}
