import { getBytes } from "ethers";
import { deriveKey } from "../../../protocol/keys.ts";
import type { StoreIdentity, StoreSecrets } from "../database/properties.ts";
import { createSeal, type Seal } from "../database/seal.ts";

/** Creates the seal of a store's credentials. */
export function credentialSeal(
  { masterSecret, encryptionSecret = masterSecret }: StoreSecrets,
  store: StoreIdentity,
): Seal {
  return createSeal(deriveKey(getBytes(encryptionSecret), "credential"), "c1", store);
}
