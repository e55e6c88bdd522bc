import { z } from "zod";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { ProviderClients, Providers } from "../../providers/client.ts";
import { connectors } from "../../providers/connectors.ts";
import { fileVariable, readSecretFiles } from "../files/secretFiles.ts";
import {
  findUnreachable,
  providerSecretVariables,
  providerVariables,
  readProviderClients,
} from "../providers/config.ts";
import { openProviders } from "../providers/openProviders.ts";
import { addresses } from "./addresses.ts";
import { fieldName, type SettingName, type SettingValues, secretSettings, settings } from "./settings.ts";

/** The configuration of the service. {@link loadConfig} reads it from environment variables. */
export interface SignerConfig extends SettingValues {
  /** The providers at which an account can be proven. */
  readonly providers: ProviderClients;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from an environment.
 *
 * @returns `complete`, the environment with secrets read from files; `given`, the texts of the settings; a line for
 * each problem; and the values by field name.
 */
function readSettings(env: Environment, names: readonly string[], secrets: readonly string[]) {
  const { env: complete, problems } = readSecretFiles(env, secrets);
  const given = Object.fromEntries(names.map((name) => [name, complete[name] || undefined]));
  const shape = Object.entries(settings).filter(([name]) => names.includes(name));
  const schema = z.object(Object.fromEntries(shape.map(([name, { schema }]) => [name, schema])));
  const { data = {}, error } = schema.safeParse(given);
  for (const issue of error?.issues ?? []) {
    const name = String(issue.path[0]);
    // The problem with its file is already listed.
    if (given[name] === undefined && env[fileVariable(name)]) continue;
    problems.push(describeProblem(name as SettingName, given[name], issue.message));
  }
  const sameSecret = describeSameSecret(given);
  if (sameSecret !== undefined) problems.push(sameSecret);
  const values = Object.entries(data).map(([name, value]) => [fieldName(name), value]);
  return { complete, given, problems, values: Object.fromEntries(values) as SettingValues };
}

/**
 * Reads the configuration. An empty variable counts as missing.
 *
 * @throws InvalidInputError that lists every invalid variable with the expected value and its own (never a secret's).
 *
 * @example
 * ```ts
 * const config = loadConfig({ ...process.env, IDENTITY_PORT: "0" });
 * const { url, close } = await startSigner(config);
 * ```
 */
export function loadConfig(env: Environment): SignerConfig {
  const secrets = [...secretSettings, ...providerSecretVariables];
  const { complete, problems, values } = readSettings(env, Object.keys(settings), secrets);
  const { port, metricsPort } = values;
  if (metricsPort && metricsPort === port) {
    problems.push(`- IDENTITY_METRICS_PORT must be another port than IDENTITY_PORT, not ${port} as well.`);
  }
  const providers = readProviderClients(complete);
  problems.push(...providers.problems);
  // A module of corrections may have addresses, and is read at the start.
  if (values.connectors === undefined) problems.push(...findUnreachable(providers.clients, connectors));
  if (problems.length > 0) {
    throw new InvalidInputError(`The signer's configuration is not valid:\n${problems.join("\n")}`);
  }
  return { ...values, providers: providers.clients };
}

const storeSecrets = ["IDENTITY_MASTER_SECRET", "IDENTITY_ENCRYPTION_SECRET"];
const storeSettings = ["IDENTITY_DATABASE_URL", "IDENTITY_CHAIN_ID", ...storeSecrets];

/** The settings of the store, as far as an environment has them. */
export type StoreSettings = Partial<Pick<SettingValues, "databaseUrl" | "chainId">> &
  Pick<SettingValues, "masterSecret" | "encryptionSecret">;

/**
 * Reads the settings of the store from an environment.
 *
 * @throws InvalidInputError that names every invalid variable and shows no secret.
 */
export function readStoreSettings(env: Environment): StoreSettings {
  const { given, problems, values } = readSettings(env, storeSettings, [
    "IDENTITY_DATABASE_URL",
    ...storeSecrets,
  ]);
  if (problems.length > 0) {
    throw new InvalidInputError(`The store's settings are not valid:\n${problems.join("\n")}`);
  }
  const { databaseUrl, chainId, ...secrets } = values;
  return {
    ...secrets,
    ...(given.IDENTITY_DATABASE_URL !== undefined && { databaseUrl }),
    ...(given.IDENTITY_CHAIN_ID !== undefined && { chainId }),
  };
}

const chainSettings = ["IDENTITY_RPC_URL", "IDENTITY_CHAIN_ID", "IDENTITY_REGISTRY"];

/**
 * Reads what an environment says of its chain.
 *
 * @throws InvalidInputError that names every variable that is missing or cannot be used.
 */
export function readChainSettings(env: Environment): Pick<SettingValues, "rpcUrl" | "chainId" | "registry"> {
  const { problems, values } = readSettings(env, chainSettings, ["IDENTITY_RPC_URL"]);
  if (problems.length > 0) {
    throw new InvalidInputError(`The chain's settings are not valid:\n${problems.join("\n")}`);
  }
  return values;
}

const watchSettings = [
  ...chainSettings,
  "IDENTITY_DATABASE_URL",
  ...storeSecrets,
  "IDENTITY_GUARDIAN_KEY",
  "IDENTITY_METRICS_PORT",
  "IDENTITY_METRICS_HOST",
];

/** The settings of a watch. */
export type WatchSettings = Pick<
  SettingValues,
  | "rpcUrl"
  | "chainId"
  | "registry"
  | "databaseUrl"
  | "masterSecret"
  | "encryptionSecret"
  | "guardianKey"
  | "metricsPort"
  | "metricsHost"
>;

/**
 * Reads what a watch needs from an environment.
 *
 * @throws InvalidInputError that names every variable that is missing or cannot be used.
 */
export function readWatchSettings(env: Environment): WatchSettings {
  const secrets = watchSettings.filter((name) => secretSettings.includes(name));
  const { problems, values } = readSettings(env, watchSettings, secrets);
  if (problems.length > 0) {
    throw new InvalidInputError(`The settings of the watch are not valid:\n${problems.join("\n")}`);
  }
  return values;
}

const providerSettings = [
  "IDENTITY_CONNECTORS",
  "IDENTITY_HOST",
  "IDENTITY_PORT",
  "IDENTITY_PUBLIC_URL",
  "IDENTITY_VERIFY_URL",
];

/**
 * Reads what an environment says of providers, and of the page to which they send people back.
 *
 * @throws InvalidInputError that names every invalid variable, and every mistake in a module of corrections.
 */
export async function readProviderSettings(env: Environment): Promise<Providers & { verifyUrl: string }> {
  const { complete, problems, values } = readSettings(env, providerSettings, providerSecretVariables);
  const { clients, problems: ofProviders } = readProviderClients(complete);
  problems.push(...ofProviders);
  if (problems.length > 0) {
    throw new InvalidInputError(`The providers' settings are not valid:\n${problems.join("\n")}`);
  }
  const providers = await openProviders({ ...values, providers: clients });
  return { ...providers, verifyUrl: addresses(values, values.port).verifyUrl };
}

/** Describes a secret that two variables share, although they must differ. */
function describeSameSecret(given: Environment): string | undefined {
  const names = storeSecrets.filter((name) => given[name] !== undefined);
  for (const [at, name] of names.entries()) {
    const same = names
      .slice(0, at)
      .find((other) => given[other]?.toLowerCase() === given[name]?.toLowerCase());
    if (same !== undefined) return `- ${name} is the same secret as ${same}; it must be another one.`;
  }
  return undefined;
}

/** Finds variables with the service's prefix that it does not know. Most likely, they are misspelt. */
export function findUnknownVariables(env: Environment): readonly string[] {
  const known = new Set([
    ...Object.keys(settings),
    ...secretSettings.map(fileVariable),
    ...providerVariables,
  ]);
  const set = Object.keys(env).filter((name) => env[name]);
  // Kubernetes describes each of its services by a family of variables.
  const families = set.flatMap((name) => /^(IDENTITY_\w*)SERVICE_HOST$/.exec(name)?.[1] ?? []);
  return set.filter(
    (name) =>
      name.startsWith("IDENTITY_") && !known.has(name) && !families.some((family) => name.startsWith(family)),
  );
}

function describeProblem(name: SettingName, value: string | undefined, wanted: string): string {
  if (value === undefined) return `- ${name} is not set; it is required: ${settings[name].what}.`;
  const got = secretSettings.includes(name) ? "what it holds (not shown)" : JSON.stringify(value);
  return `- ${name} must be ${wanted}, not ${got}.`;
}
