import { readSettings, refuseProblems, type SettingValues } from "./readSettings.ts";
import { settings } from "./settings.ts";

/** The configuration of the service. {@link loadConfig} reads it from environment variables. */
export type SignerConfig = SettingValues<typeof settings>;

/** Reads the configuration, and returns a line for each problem, for a program that has settings beside the service's. */
export function readConfig(env: NodeJS.Dict<string>): { config: SignerConfig; problems: readonly string[] } {
  const { problems, values } = readSettings(env, settings);
  const { port, metricsPort } = values;
  if (metricsPort && metricsPort === port) {
    problems.push(`- IDENTITY_METRICS_PORT must differ from IDENTITY_PORT, which is ${port}.`);
  }
  problems.push(...findSameSecret(values));
  return { config: values, problems };
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
export function loadConfig(env: NodeJS.Dict<string>): SignerConfig {
  const { config, problems } = readConfig(env);
  refuseProblems("The signer's configuration is", problems);
  return config;
}

const { IDENTITY_CHAIN_ID, IDENTITY_REGISTRY } = settings;
/** The settings of the store. */
export const storeSettings = {
  IDENTITY_DATABASE_URL: settings.IDENTITY_DATABASE_URL,
  IDENTITY_MASTER_SECRET: settings.IDENTITY_MASTER_SECRET,
  IDENTITY_ENCRYPTION_SECRET: settings.IDENTITY_ENCRYPTION_SECRET,
};

type StoreSettings = SettingValues<typeof storeSettings> & {
  readonly chainId?: number;
  readonly registry?: string;
};

/**
 * Reads the store's settings. The chain and the registry are missing where the environment does not name them. A chain
 * needs a registry.
 *
 * @throws InvalidInputError as {@link loadConfig} does.
 */
export function readStoreSettings(env: NodeJS.Dict<string>): StoreSettings {
  const named = {
    ...storeSettings,
    ...(env.IDENTITY_CHAIN_ID && { IDENTITY_CHAIN_ID }),
    // A store that is made with a chain and without a registry would be any registry's.
    ...((env.IDENTITY_CHAIN_ID || env.IDENTITY_REGISTRY) && { IDENTITY_REGISTRY }),
  };
  const { problems, values } = readSettings(env, named);
  refuseProblems("The store's settings are", problems.concat(findSameSecret(values)));
  return values as StoreSettings;
}

/** Returns a line if the two secrets are one. */
export function findSameSecret(
  values: Partial<Pick<SignerConfig, "masterSecret" | "encryptionSecret">>,
): string[] {
  const { masterSecret, encryptionSecret } = values;
  if (masterSecret === undefined || masterSecret.toLowerCase() !== encryptionSecret?.toLowerCase()) return [];
  return [
    "- IDENTITY_ENCRYPTION_SECRET is the same secret as IDENTITY_MASTER_SECRET; it must be another one.",
  ];
}
