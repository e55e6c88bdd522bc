import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openCredentialStore } from "../../signer/index.ts";
import { openCredentials } from "../rivals/credentials.ts";
import type { Chain } from "./chain.ts";
import { createCredential, hashPolicyOf, type Person } from "./people.ts";
import { type ProcessOptions, startProcess } from "./process.ts";
import { root } from "./repository.ts";

/** A server that returns verifications for signed messages. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** The code that this service uses for signatures: native or portable. */
  readonly curve?: string;
  stop(): Promise<void>;
}

/** The settings that all servers share. Key and secret are 32 bytes hex, and not the development ones. */
export interface Common {
  readonly folder: string;
  readonly chain: Chain;
  readonly signingKey: string;
  readonly secret: string;
  readonly core: string | undefined;
}

/** The options of a service's start. */
export interface ServiceOptions {
  /** Its name among the files of the folder. */
  readonly name: string;
  /** The URL of its store; by default, an SQLite file. */
  readonly databaseUrl?: string | undefined;
  readonly isBehindProxy?: boolean;
  /** Whether it enters nothing in the audit trail, to measure what the trail costs. */
  readonly hasNoTrail?: boolean;
}

/** The file of bench/rivals that runs it. */
export type Rival = "express-viem" | "express-native" | "node-native";

/** Starts a rival; the one with a policy and credentials has a credential of each person in its store. */
export async function startRival(common: Common, name: Rival, people: readonly Person[]): Promise<Server> {
  const { folder, chain, secret, signingKey } = common;
  const { chainId, registry, consumers, rpcUrl } = chain;
  const database = join(folder, `${name}.sqlite`);
  if (name === "express-viem") {
    const credentials = openCredentials(database, secret);
    for (const { wallet } of people) {
      const { provider, ...credential } = createCredential(wallet);
      credentials.set(wallet, provider, credential);
    }
    credentials.close();
  }
  return await serve({
    name,
    folder,
    cores: common.core,
    command: [process.execPath, join(root, `bench/rivals/${name}.ts`)],
    env: () => ({
      RPC_URL: rpcUrl,
      CHAIN_ID: String(chainId),
      REGISTRY: registry,
      POLICY_HASH: hashPolicyOf(chainId, consumers[0]),
      SIGNING_KEY: signingKey,
      SECRET: secret,
      DATABASE: database,
    }),
    ready: /^\{"url":.*\}$/m,
  });
}

/**
 * Starts this service as deployed, with a log file, metrics, and limits that no client reaches. Its store has a
 * credential of each person.
 */
export async function startService(
  common: Common,
  { name, isBehindProxy, hasNoTrail, ...options }: ServiceOptions,
  people: readonly Person[],
): Promise<Server> {
  const databaseUrl = options.databaseUrl ?? `file:${join(common.folder, `${name}.sqlite`)}`;
  const store = await openCredentialStore({
    databaseUrl,
    masterSecret: common.secret,
    chainId: common.chain.chainId,
  });
  for (const { wallet } of people) await store.set(createCredential(wallet));
  await store.close();
  const deployed = readDeployed();
  const preloaded = hasNoTrail ? ["--import", join(root, "bench/environment/withoutTrail.ts")] : [];
  return await serve({
    name,
    folder: common.folder,
    cores: common.core,
    command: [process.execPath, ...deployed.nodeArgs, ...preloaded, serviceProgram],
    env: () => ({
      ...deployed.env,
      ...serviceEnvironment(common, databaseUrl),
      ...(isBehindProxy && { IDENTITY_TRUST_PROXY: "1" }),
    }),
    ready: listening,
  });
}

/** The program of the service. */
export const serviceProgram = join(root, "packages/operator/cli/identity-signer.ts");

/** The log line of a service that listens. */
export const listening = /^\{.*"msg":"listening".*\}$/m;

async function serve(options: ProcessOptions): Promise<Server> {
  const server = await startProcess(options);
  const { url, curve } = JSON.parse(server.ready());
  return { url, curve, pid: server.pid(), stop: server.stop };
}

export const serviceEnvironment = (
  { chain, signingKey, secret }: Pick<Common, "chain" | "signingKey" | "secret">,
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
});

/** Reads the settings of Node and of the allocator from deploy/: Node's arguments, and environment variables. */
function readDeployed(): { nodeArgs: readonly string[]; env: Readonly<Record<string, string>> } {
  const containerFile = readFileSync(join(root, "deploy/container/Dockerfile"), "utf8");
  const [, entrypoint = ""] = /^ENTRYPOINT (.*)$/m.exec(containerFile) ?? [];
  const [, arenas = ""] = /^ENV .*\bMALLOC_ARENA_MAX=(\d+)/m.exec(containerFile) ?? [];
  return {
    nodeArgs: (JSON.parse(entrypoint) as string[]).filter((argument) => argument.startsWith("--")),
    env: { MALLOC_ARENA_MAX: arenas },
  };
}
