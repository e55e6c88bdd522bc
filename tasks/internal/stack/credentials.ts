import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { development } from "../../../protocol/development.ts";
import type { CredentialStore, StoreOptions } from "../../../signer/index.ts";
import { withStore } from "../../../signer/operations/withStore.ts";
import { findStack, type RunningStack } from "./running.ts";

/**
 * Uses the credential store of the running `identity dev`, opened directly: no HTTP route exposes it. For any other
 * store there is `identity-signer`, so that no master secret comes near a Hardhat project.
 *
 * @param port The port of the stack's signer service, to choose one of several stacks.
 */
export async function withStackStore<T>(
  hre: HardhatRuntimeEnvironment,
  port: number | undefined,
  use: (store: CredentialStore, stack: RunningStack) => Promise<T>,
): Promise<T> {
  const stack = findStack(port, hre.config.paths.root);
  return await withDevelopmentStore(stack, (store) => use(store, stack));
}

/** Uses a store with the public master secret of development. */
export const withDevelopmentStore = <T>(
  { databaseUrl, chainId }: Pick<StoreOptions, "databaseUrl" | "chainId">,
  use: (store: CredentialStore) => Promise<T>,
): Promise<T> => withStore({ databaseUrl, masterSecret: development.masterSecret, chainId }, use);
