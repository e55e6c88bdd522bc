import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";
import { openCredentialStore, type StoreOptions } from "@hardhat-identity/store/credentials/store";
import { withReadableErrors } from "./withReadableErrors.ts";

/** Uses a store, and closes it. */
export async function withStore<T>(
  options: StoreOptions,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> {
  const store = await openCredentialStore(options);
  try {
    return await withReadableErrors(() => use(store));
  } finally {
    await store.close();
  }
}
