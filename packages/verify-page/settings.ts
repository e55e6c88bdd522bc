import { isLoopbackOfBrowser } from "@hardhat-identity/protocol/loopback";
import {
  addresses,
  settings as ofService,
  oneOf,
  readBy,
  readSettings,
  refuseProblems,
  type SettingValues,
  variablesOf,
} from "@hardhat-identity/signer/settings";
import { z } from "zod";
import { connectors } from "./connectors/connectors.ts";
import type { ProviderClients, Providers } from "./connectors/registration.ts";
import {
  findUnreachable,
  providerSecretVariables,
  providerVariables,
  readProviderClients,
} from "./providers/config.ts";
import { openProviders } from "./providers/openProviders.ts";
import { readBrand } from "./server/readBrand.ts";

/** The settings of the verify page but those of the providers; see the service's. */
export const pageSettings = {
  IDENTITY_BRAND: readBy(readBrand)
    .optional()
    .describe("JSON file with the name, logo, accent color and privacy notice that the pages show"),
  IDENTITY_REDIRECT_ORIGINS: z
    .string()
    .transform((text) => text.split(",").map(readApp))
    .refine(
      (apps) =>
        apps.every(({ origin, name }) => isAppOrigin(origin) && (name === undefined || isAppName(name))),
      "origins such as https://app.example, separated by commas (http on loopback only), each with up to 40 characters of a name: https://app.example=Name",
    )
    .default([])
    .meta({
      description:
        "Origins of apps to which the verify page returns at once, separated by commas; `=Name` after one names the app",
      default: "none",
    }),
  IDENTITY_OTHER_REDIRECTS: oneOf(["ask", "refuse"])
    .default("ask")
    .describe("Other https origins: the verify page asks the person, or refuses"),
  IDENTITY_CONNECTORS: z
    .string()
    .optional()
    .describe("JavaScript module whose default export corrects the built-in providers"),
};

/** All variables of the page and its providers. */
export const pageVariables: readonly string[] = variablesOf(pageSettings).concat(providerVariables);

/** The configuration of the verify page. {@link loadPageConfig} reads it from environment variables. */
export interface PageConfig extends SettingValues<typeof pageSettings> {
  /** The providers at which an account can be proven. */
  readonly providers: ProviderClients;
}

/** Reads the configuration, and returns a line for each problem, for a program that has settings beside the page's. */
export function readPageConfig(env: NodeJS.Dict<string>): {
  config: PageConfig;
  problems: readonly string[];
} {
  const { complete, problems, values } = readSettings(env, pageSettings, providerSecretVariables);
  const { clients: providers, problems: ofProviders } = readProviderClients(complete);
  problems.push(...ofProviders);
  // A module of corrections may have addresses, and is read at the start.
  if (values.connectors === undefined) problems.push(...findUnreachable(providers, connectors));
  return { config: { ...values, providers }, problems };
}

/**
 * Reads the configuration of the verify page. An empty variable counts as missing.
 *
 * @throws InvalidInputError that lists every invalid variable with the expected value and its own (never a secret's).
 */
export function loadPageConfig(env: NodeJS.Dict<string>): PageConfig {
  const { config, problems } = readPageConfig(env);
  refuseProblems("The verify page's configuration is", problems);
  return config;
}

const { IDENTITY_HOST, IDENTITY_PORT, IDENTITY_PUBLIC_URL, IDENTITY_VERIFY_URL } = ofService;
const { IDENTITY_CONNECTORS } = pageSettings;

/**
 * Reads what an environment says of providers, and of the page to which they send people back.
 *
 * @throws InvalidInputError that names every invalid variable, and every mistake in a module of corrections.
 */
export async function readProviderSettings(
  env: NodeJS.Dict<string>,
): Promise<Providers & { verifyUrl: string }> {
  const table = {
    IDENTITY_CONNECTORS,
    IDENTITY_HOST,
    IDENTITY_PORT,
    IDENTITY_PUBLIC_URL,
    IDENTITY_VERIFY_URL,
  };
  const { complete, problems, values } = readSettings(env, table, providerSecretVariables);
  const { clients, problems: ofProviders } = readProviderClients(complete);
  refuseProblems("The providers' settings are", problems.concat(ofProviders));
  const providers = await openProviders({ ...values, providers: clients });
  return { ...providers, verifyUrl: addresses(values, values.port).verifyUrl };
}

/** An app to which the verify page returns at once. */
export interface TrustedApp {
  readonly origin: string;
  /** The app's name on the page; by default its host. */
  readonly name?: string;
}

function readApp(text: string): TrustedApp {
  const [origin = "", ...name] = text.trim().split("=");
  return { origin, ...(name.length > 0 && { name: name.join("=").trim() }) };
}

const isAppName = (text: string): boolean => /^\P{C}{1,40}$/u.test(text);

function isAppOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, origin } = new URL(text);
  // A star is not a wildcard here. As a host name, it would match nothing.
  if (origin !== text || hostname.includes("*")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopbackOfBrowser(hostname));
}
