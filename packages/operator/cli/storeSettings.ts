import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readStoreSettings } from "@hardhat-identity/signer/settings";
import type { StoreOptions } from "@hardhat-identity/store/credentials/store";

/** How a service with this environment would open its store. */
export function readStoreOptions(): StoreOptions {
  const { masterSecret, ...settings } = readStoreSettings(process.env);
  if (masterSecret === undefined) {
    throw new InvalidInputError("IDENTITY_MASTER_SECRET is not set; the store needs it.");
  }
  return { ...settings, masterSecret };
}
