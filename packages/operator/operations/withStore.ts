import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";
import { openCredentialStore, type StoreOptions } from "@hardhat-identity/store/credentials/store";
import { describeStoreFailure } from "@hardhat-identity/store/database/operateStore";

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

/** Turns a failure of the store into an error that is printed without a stack trace. */
export async function withReadableErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeStoreFailure(error);
  }
}
