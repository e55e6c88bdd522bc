import { catalogue, type ProviderName } from "@hardhat-identity/protocol/catalogue";
import { isLoopback } from "@hardhat-identity/protocol/loopback";
import { fileVariable } from "@hardhat-identity/signer/pages";
import type { Connectors } from "../connectors/connector.ts";
import type { ProviderClient, ProviderClients } from "../connectors/registration.ts";

const providers = [...catalogue.keys()] as ProviderName[];

/** The endings of a provider's variables, after `IDENTITY_<PROVIDER>_`. */
export const providerVariableEndings = [
  "CLIENT_ID",
  "CLIENT_SECRET",
  "CLIENT_SECRET_FILE",
  "BASE_URL",
  "LABEL",
] as const;
type Ending = (typeof providerVariableEndings)[number];

const variable = (provider: ProviderName, ending: Ending) => `IDENTITY_${provider.toUpperCase()}_${ending}`;

/** All variables of all providers. */
export const providerVariables = providers.flatMap((provider) =>
  providerVariableEndings.map((ending) => variable(provider, ending)),
);

/** Variables of the providers' secrets, each of which may be in a file. */
export const providerSecretVariables = providers.map((provider) => variable(provider, "CLIENT_SECRET"));

/**
 * Reads the providers at which an account can be proven: those with a client id.
 *
 * @param env The environment with the contents of the secret files that could be read.
 * @returns The providers, and a line for each invalid variable.
 */
export function readProviderClients(env: NodeJS.Dict<string>): {
  clients: ProviderClients;
  problems: string[];
} {
  const problems: string[] = [];
  const clients: Partial<Record<ProviderName, ProviderClient>> = {};
  for (const provider of providers) {
    const client = readClient(provider, env, problems);
    if (client) clients[provider] = client;
  }
  return { clients, problems };
}

function readClient(
  provider: ProviderName,
  env: NodeJS.Dict<string>,
  problems: string[],
): ProviderClient | undefined {
  const name = (ending: Ending) => variable(provider, ending);
  const value = (ending: Ending) => env[name(ending)] || undefined;
  const clientId = value("CLIENT_ID");
  const set = providerVariableEndings.filter((ending) => value(ending) !== undefined);
  if (clientId === undefined) {
    if (set[0]) problems.push(`- ${name(set[0])} is set, but ${name("CLIENT_ID")} is not.`);
    return undefined;
  }
  const clientSecret = value("CLIENT_SECRET");
  if (clientSecret === undefined && value("CLIENT_SECRET_FILE") === undefined) {
    const secret = name("CLIENT_SECRET");
    problems.push(`- Neither ${secret} nor ${fileVariable(secret)} is set; set one of them.`);
  }
  for (const ending of ["CLIENT_ID", "CLIENT_SECRET", "LABEL"] as const) {
    const problem = describeStrayCharacter(value(ending));
    if (problem !== undefined) problems.push(`- ${name(ending)} ${problem}.`);
  }
  const baseUrl = value("BASE_URL")?.replace(/\/+$/, "");
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) {
    problems.push(
      `- ${name("BASE_URL")} must be an https URL (http on loopback) without query, not ${JSON.stringify(baseUrl)}.`,
    );
  }
  return { clientId, clientSecret: clientSecret ?? "", baseUrl, label: value("LABEL") };
}

/** Returns a line for each provider that has no public address, and no base URL either. */
export function findUnreachable(clients: ProviderClients, connectors: Connectors): string[] {
  return providers.flatMap((provider) => {
    const client = clients[provider];
    const { authorizationEndpoint, tokenEndpoint, revocationEndpoint, calls } = connectors[provider];
    const revocations = revocationEndpoint === undefined ? [] : [revocationEndpoint];
    const endpoints = [authorizationEndpoint, tokenEndpoint, ...revocations, ...Object.values(calls)];
    if (client === undefined || client.baseUrl !== undefined) return [];
    if (endpoints.every((endpoint) => endpoint.startsWith("https:"))) return [];
    const name = variable(provider, "BASE_URL");
    return [`- ${name} is not set; this provider has no public address of its own.`];
  });
}

/** Says which characters are in a value by mistake; each sign-in would fail for them. The value itself is not shown. */
function describeStrayCharacter(text = ""): string | undefined {
  if (text !== text.trim() || /\p{Cc}/u.test(text)) {
    return "begins or ends with white space, or has a control character, perhaps from a file with Windows' line ends";
  }
  // Shells and systemd take quotation marks away. Docker's --env-file and Kubernetes leave them in the value.
  return /^(["']).*\1$/.test(text) ? "is in quotation marks, which are no part of it" : undefined;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
