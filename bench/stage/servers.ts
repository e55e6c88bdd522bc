import { join } from "node:path";
import { openCredentialStore } from "../../signer/index.ts";
import { root } from "../repository.ts";
import { openCredentials } from "../rivals/credentials.ts";
import type { Chain } from "./chain.ts";
import { readDeployed } from "./deployed.ts";
import { type Launched, launch } from "./launch.ts";
import type { Person } from "./people.ts";
import { policy, traits } from "./policy.ts";

/** A server that answers signed messages with verifications. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its start until it said where it listens. */
  readonly took: number;
  output(): string;
  stop(): Promise<void>;
}

/** What all servers have in common. */
export interface Setting {
  readonly folder: string;
  readonly chain: Chain;
  /** 32 bytes hex; not the development key, so that the service has no local node's privileges. */
  readonly signingKey: string;
  /** 32 bytes hex; the same. */
  readonly secret: string;
  /** Who has a credential. */
  readonly people: readonly Person[];
  readonly cores: string | undefined;
  /** `wasm`, to have the curve so. */
  readonly curve: string | undefined;
}

const now = () => Math.floor(Date.now() / 1_000);

/** @param name Of the program in rivals/. */
export async function startRival(name: string, setting: Setting): Promise<Server> {
  const { folder, chain, people } = setting;
  const database = join(folder, `${name}.sqlite`);
  const credentials = openCredentials(database, setting.secret);
  credentials.transaction(() => {
    for (const { wallet } of people) {
      credentials.set(wallet, policy.provider, { accountId: wallet, traits, authenticatedAt: now() });
    }
  });
  credentials.close();
  const rival = await launch({
    name,
    folder,
    command: process.execPath,
    args: [join(root, `bench/rivals/${name}.ts`)],
    env: {
      RPC_URL: chain.rpcUrl,
      CHAIN_ID: String(chain.chainId),
      REGISTRY: chain.registry,
      SIGNING_KEY: setting.signingKey,
      SECRET: setting.secret,
      DATABASE: database,
      ...(setting.curve && { CURVE: setting.curve }),
    },
    cores: setting.cores,
    ready: /^\{"url":.*\}$/m,
  });
  return describe(rival);
}

/** How a service is started. */
export interface ServiceOptions {
  /** Its name among the files of the folder. */
  readonly name: string;
  /** `signer/cli/identity-signer.ts`, or what is packed of it. */
  readonly program: string;
  /** A store of its own kind or content; else an SQLite file. */
  readonly databaseUrl?: string | undefined;
  /** Whether the store has the people already. */
  readonly isFilled?: boolean;
  readonly workers?: number | undefined;
  readonly audit?: "off";
  /** What Node is told besides. */
  readonly nodeArgs?: readonly string[];
}

/** Writes credentials of people, through the store's own code. */
export async function fillStore(databaseUrl: string, { secret, people }: Setting): Promise<void> {
  const store = await openCredentialStore({ databaseUrl, masterSecret: secret });
  for (const { wallet } of people) {
    const credential = {
      wallet,
      provider: policy.provider,
      accountId: wallet,
      traits,
      authenticatedAt: now(),
    };
    await store.set(credential);
  }
  await store.close();
}

/** This service as it ships and is deployed: its log goes to a file, metrics and limits are on, and nobody reaches a limit. */
export async function startService(setting: Setting, options: ServiceOptions): Promise<Server> {
  const databaseUrl = options.databaseUrl ?? `file:${join(setting.folder, `${options.name}.sqlite`)}`;
  if (!options.isFilled) await fillStore(databaseUrl, setting);
  const deployed = readDeployed();
  const service = await launch({
    name: options.name,
    folder: setting.folder,
    command: process.execPath,
    args: [...deployed.nodeArgs, ...(options.nodeArgs ?? []), options.program],
    env: { ...deployed.env, ...serviceEnvironment(setting, databaseUrl, options) },
    cores: setting.cores,
    ready: /^\{.*"msg":"listening".*\}$/m,
  });
  return describe(service);
}

export function serviceEnvironment(
  { chain, signingKey, secret, curve }: Pick<Setting, "chain" | "signingKey" | "secret" | "curve">,
  databaseUrl: string,
  { workers, audit }: Pick<ServiceOptions, "workers" | "audit"> = {},
): Record<string, string> {
  return {
    IDENTITY_RPC_URL: chain.rpcUrl,
    IDENTITY_CHAIN_ID: String(chain.chainId),
    IDENTITY_REGISTRY: chain.registry,
    IDENTITY_SIGNING_KEY: signingKey,
    IDENTITY_MASTER_SECRET: secret,
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_PORT: "0",
    IDENTITY_RATE_LIMIT: "1000000",
    IDENTITY_WALLET_RATE_LIMIT: "1000000",
    ...(workers === undefined ? {} : { IDENTITY_WORKERS: String(workers) }),
    ...(audit && { IDENTITY_AUDIT: audit }),
    ...(curve && { IDENTITY_CURVE: curve }),
  };
}

function describe({ ready, pid, took, output, stop }: Launched): Server {
  return { url: JSON.parse(ready).url, pid, took, output, stop };
}
