import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openCredentialStore } from "../../signer/index.ts";
import { root } from "../repository.ts";
import { openCredentials } from "../rivals/credentials.ts";
import type { Chain } from "./chain.ts";
import { createCredential, type Person } from "./people.ts";
import { type ProcessOptions, startProcess } from "./process.ts";

/** A server that answers signed messages with verifications. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  output(): string;
  stop(): Promise<void>;
}

/** What all servers have in common. Key and secret are 32 bytes hex, and not the development ones. */
export interface Common {
  readonly folder: string;
  readonly chain: Chain;
  readonly signingKey: string;
  readonly secret: string;
  readonly core: string | undefined;
  /** `wasm`, to have the curve so. */
  readonly curve: string | undefined;
}

/** How a service is started. */
export interface ServiceOptions {
  /** Its name among the files of the folder. */
  readonly name: string;
  /** A store of its own kind; else an SQLite file. */
  readonly databaseUrl?: string | undefined;
  readonly audit?: "off";
  /** What Node is told besides. */
  readonly nodeArgs?: readonly string[];
}

/** @param name Of the program in rivals/. */
export async function startRival(name: string, common: Common, people: readonly Person[]): Promise<Server> {
  const { folder, chain, secret, signingKey, curve } = common;
  const database = join(folder, `${name}.sqlite`);
  const credentials = openCredentials(database, secret);
  credentials.transaction(() => {
    for (const { wallet } of people) {
      const { provider, ...credential } = createCredential(wallet);
      credentials.set(wallet, provider, credential);
    }
  });
  credentials.close();
  return await serve({
    ...{ name, folder, cores: common.core },
    command: [process.execPath, join(root, `bench/rivals/${name}.ts`)],
    env: () => ({
      RPC_URL: chain.rpcUrl,
      CHAIN_ID: String(chain.chainId),
      REGISTRY: chain.registry,
      SIGNING_KEY: signingKey,
      SECRET: secret,
      DATABASE: database,
      ...(curve && { CURVE: curve }),
    }),
    ready: /^\{"url":.*\}$/m,
  });
}

/** This service as it ships and is deployed: its log goes to a file, metrics and limits are on, and nobody reaches a limit. */
export async function startService(
  program: string,
  common: Common,
  options: ServiceOptions & { databaseUrl: string },
): Promise<Server> {
  const { databaseUrl, audit, name, nodeArgs = [] } = options;
  const deployed = readDeployed();
  return await serve({
    ...{ name, folder: common.folder, cores: common.core },
    command: [process.execPath, ...deployed.nodeArgs, ...nodeArgs, program],
    env: () => ({
      ...{ ...deployed.env, ...serviceEnvironment(common, databaseUrl) },
      ...(audit && { IDENTITY_AUDIT: audit }),
    }),
    ready: listening,
  });
}

/** What a service prints once it listens. */
export const listening = /^\{.*"msg":"listening".*\}$/m;

async function serve(options: ProcessOptions): Promise<Server> {
  const server = await startProcess(options);
  return { url: JSON.parse(server.ready()).url, pid: server.pid(), output: server.output, stop: server.stop };
}

/** Writes credentials of people, through the store's own code. */
export async function fillStore(databaseUrl: string, masterSecret: string, people: readonly Person[]) {
  const store = await openCredentialStore({ databaseUrl, masterSecret });
  for (const { wallet } of people) await store.set(createCredential(wallet));
  await store.close();
}

export const serviceEnvironment = (
  { chain, signingKey, secret, curve }: Pick<Common, "chain" | "signingKey" | "secret" | "curve">,
  databaseUrl: string,
): Record<string, string> => ({
  IDENTITY_RPC_URL: chain.rpcUrl,
  IDENTITY_CHAIN_ID: String(chain.chainId),
  IDENTITY_REGISTRY: chain.registry,
  IDENTITY_SIGNING_KEY: signingKey,
  IDENTITY_MASTER_SECRET: secret,
  IDENTITY_DATABASE_URL: databaseUrl,
  IDENTITY_PORT: "0",
  IDENTITY_RATE_LIMIT: "1000000",
  IDENTITY_WALLET_RATE_LIMIT: "1000000",
  ...(curve && { IDENTITY_CURVE: curve }),
});

/** What the files of deploy/ tell Node and the allocator, by arguments ahead of the program and by the environment. */
function readDeployed(): { nodeArgs: readonly string[]; env: Readonly<Record<string, string>> } {
  const containerFile = readFileSync(join(root, "deploy/container/Containerfile"), "utf8");
  const [, entrypoint = ""] = /^ENTRYPOINT (.*)$/m.exec(containerFile) ?? [];
  const [, arenas = ""] = /^ENV .*\bMALLOC_ARENA_MAX=(\d+)/m.exec(containerFile) ?? [];
  return {
    nodeArgs: (JSON.parse(entrypoint) as string[]).filter((argument) => argument.startsWith("--")),
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
