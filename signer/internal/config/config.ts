import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { z } from "zod";
import { connectors } from "../../providers/connectors.ts";
import type { ProviderClients, Providers } from "../../providers/registration.ts";
import { fileVariable, readSecretFiles } from "../files/secretFiles.ts";
import {
  findUnreachable,
  providerSecretVariables,
  providerVariables,
  readProviderClients,
} from "../providers/config.ts";
import { openProviders } from "../providers/openProviders.ts";
import { addresses } from "./addresses.ts";
import {
  type FieldName,
  fieldName,
  type SettingName,
  type SettingValues,
  secretSettings,
  settings,
} from "./settings.ts";

/** The configuration of the service. {@link loadConfig} reads it from environment variables. */
export interface SignerConfig extends SettingValues {
  /** The providers at which an account can be proven. */
  readonly providers: ProviderClients;
}

/**
 * Reads settings from an environment.
 *
 * @param ofProviders The variables of the providers' secrets to read, too.
 * @returns `complete`, the environment with secrets read from files; a line for each problem; and the values by field
 * name.
 */
function readSettings(
  env: NodeJS.Dict<string>,
  names: readonly string[],
  ofProviders: readonly string[] = [],
) {
  const secrets = secretSettings.filter((name) => names.includes(name));
  const { env: complete, problems } = readSecretFiles(env, [...secrets, ...ofProviders]);
  const given = Object.fromEntries(names.map((name) => [name, complete[name] || undefined]));
  const shape = Object.entries(settings).filter(([name]) => names.includes(name));
  const { data = {}, error } = z.object(Object.fromEntries(shape)).safeParse(given);
  for (const issue of error?.issues ?? []) {
    const name = String(issue.path[0]);
    // The problem with its file is already listed.
    if (given[name] === undefined && env[fileVariable(name)]) continue;
    problems.push(describeProblem(name as SettingName, given[name], issue.message));
  }
  const { IDENTITY_MASTER_SECRET: master, IDENTITY_ENCRYPTION_SECRET: encryption } = given;
  if (master !== undefined && master.toLowerCase() === encryption?.toLowerCase()) {
    problems.push(
      "- IDENTITY_ENCRYPTION_SECRET is the same secret as IDENTITY_MASTER_SECRET; it must be another one.",
    );
  }
  const values = Object.entries(data).map(([name, value]) => [fieldName(name), value]);
  return { complete, problems, values: Object.fromEntries(values) as SettingValues };
}

function refuse(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new InvalidInputError(`${what} not valid:\n${problems.join("\n")}`);
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
  const names = Object.keys(settings);
  const { complete, problems, values } = readSettings(env, names, providerSecretVariables);
  const { port, metricsPort } = values;
  if (metricsPort && metricsPort === port) {
    problems.push(`- IDENTITY_METRICS_PORT must be another port than IDENTITY_PORT, not ${port} as well.`);
  }
  const providers = readProviderClients(complete);
  problems.push(...providers.problems);
  // A module of corrections may have addresses, and is read at the start.
  if (values.connectors === undefined) problems.push(...findUnreachable(providers.clients, connectors));
  refuse("The signer's configuration is", problems);
  return { ...values, providers: providers.clients };
}

/** Reads some settings, for a command. Throws InvalidInputError as {@link loadConfig} does. */
function readSome<Name extends SettingName>(
  env: NodeJS.Dict<string>,
  what: string,
  names: readonly Name[],
): Pick<SettingValues, FieldName<Name>> {
  const { problems, values } = readSettings(env, names);
  refuse(what, problems);
  return values;
}

const chainSettings = ["IDENTITY_RPC_URL", "IDENTITY_CHAIN_ID", "IDENTITY_REGISTRY"] as const;
const storeSettings = [
  "IDENTITY_DATABASE_URL",
  "IDENTITY_MASTER_SECRET",
  "IDENTITY_ENCRYPTION_SECRET",
] as const;

/** The chain and the registry are missing where the environment does not name them. A chain needs a registry. */
export function readStoreSettings(env: NodeJS.Dict<string>): Pick<
  SettingValues,
  FieldName<(typeof storeSettings)[number]>
> & {
  readonly chainId?: number;
  readonly registry?: string;
} {
  const names: SettingName[] = [...storeSettings];
  if (env.IDENTITY_CHAIN_ID) names.push("IDENTITY_CHAIN_ID");
  // A store that is made with a chain and without a registry would be any registry's.
  if (env.IDENTITY_CHAIN_ID || env.IDENTITY_REGISTRY) names.push("IDENTITY_REGISTRY");
  return readSome(env, "The store's settings are", names);
}

export const readWatchSettings = (env: NodeJS.Dict<string>) =>
  readSome(env, "The settings of the watch are", [
    ...chainSettings,
    ...storeSettings,
    "IDENTITY_GUARDIAN_KEY",
    "IDENTITY_METRICS_PORT",
    "IDENTITY_METRICS_HOST",
    "IDENTITY_WATCH_WEBHOOK",
  ]);

export type WatchSettings = ReturnType<typeof readWatchSettings>;

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
export async function readProviderSettings(
  env: NodeJS.Dict<string>,
): Promise<Providers & { verifyUrl: string }> {
  const { complete, problems, values } = readSettings(env, providerSettings, providerSecretVariables);
  const { clients, problems: ofProviders } = readProviderClients(complete);
  refuse("The providers' settings are", [...problems, ...ofProviders]);
  const providers = await openProviders({ ...values, providers: clients });
  return { ...providers, verifyUrl: addresses(values, values.port).verifyUrl };
}

/** Finds variables with the service's prefix that it does not know. Most likely, they are misspelt. */
export function findUnknownVariables(env: NodeJS.Dict<string>): readonly string[] {
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
  if (value === undefined) return `- ${name} is not set; it is required: ${settings[name].description}.`;
  const got = secretSettings.includes(name) ? "what it holds (not shown)" : JSON.stringify(value);
  return `- ${name} must be ${wanted}, not ${got}.`;
}
