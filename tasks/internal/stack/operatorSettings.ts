import { development } from "../../../protocol/development.ts";
import type { RunningStack } from "./running.ts";

/** The settings with which `identity-signer` works on a stack's store, chain and registry. Nothing in them is secret. */
export const operatorSettings = (
  stack: Pick<RunningStack, "databaseUrl" | "rpcUrl" | "chainId" | "registry">,
): Readonly<Record<string, string>> => ({
  IDENTITY_DATABASE_URL: stack.databaseUrl,
  IDENTITY_MASTER_SECRET: development.masterSecret,
  IDENTITY_RPC_URL: stack.rpcUrl,
  IDENTITY_CHAIN_ID: String(stack.chainId),
  IDENTITY_REGISTRY: stack.registry,
});

/** The same as lines for a POSIX shell. */
export const exportLines = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`);
