import { development } from "@hardhat-identity/protocol/development";
import type { CredentialStore, StoreOptions } from "@hardhat-identity/signer";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { findStackOf } from "hardhat-identity/internal/stack/connect";
import type { RunningStack } from "hardhat-identity/internal/stack/running";
import { withStore } from "identity-signer/operations/withStore";

/**
 * Uses the credential store of the running `identity dev`, opened directly: no HTTP route exposes it. For any other
 * store there is `identity-signer`, so that no master secret comes near a Hardhat project.
 */
export async function withStackStore<T>(
  hre: HardhatRuntimeEnvironment,
  asked: { readonly port: string | undefined },
  use: (store: CredentialStore, stack: RunningStack) => Promise<T>,
): Promise<T> {
  const stack = await findStackOf(hre, asked);
  return await withDevelopmentStore(stack, (store) => use(store, stack));
}

/** Uses a store with the public master secret of development. */
export const withDevelopmentStore = <T>(
  { databaseUrl, chainId }: Pick<StoreOptions, "databaseUrl" | "chainId">,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> => withStore({ databaseUrl, masterSecret: development.masterSecret, chainId }, use);
