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
    return await describingFailures(() => use(store));
  } finally {
    await store.close();
  }
}

/** Prints store errors without a stack trace. */
export async function describingFailures<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw describeStoreFailure(error);
  }
}
