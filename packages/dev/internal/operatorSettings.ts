import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { development } from "@hardhat-identity/protocol/development";
import type { RunningStack } from "hardhat-identity/internal/stack/running";
import { temporaryFolder } from "hardhat-identity/internal/temporaryFolder";

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

/** Writes them for a POSIX shell, to a file that is deleted when the process exits. Returns its path. */
export function writeOperatorSettings(stack: Parameters<typeof operatorSettings>[0]): string {
  const file = join(temporaryFolder("hardhat-identity-settings-"), "settings.sh");
  const lines = Object.entries(operatorSettings(stack)).map(
    ([name, value]) => `export ${name}=${quote(value)}\n`,
  );
  writeFileSync(file, lines.join(""));
  return file;
}

/** Writes a word for a shell, in quotes where it needs them. */
export const toShellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quote(text));

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
