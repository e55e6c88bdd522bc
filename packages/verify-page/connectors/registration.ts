import type { ProviderName } from "@hardhat-identity/protocol/catalogue";
import type { Connectors } from "./connector.ts";

/** The operator's registration, as an OAuth client, at one provider. */
export interface ProviderClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Replaces the scheme, host and port of every endpoint of the connector. Without a slash at the end. */
  readonly baseUrl?: string | undefined;
  /** The provider's name on the verify page, in place of the connector's label. */
  readonly label?: string | undefined;
}

/** The providers at which an account can be proven here. */
export type ProviderClients = Readonly<Partial<Record<ProviderName, ProviderClient>>>;

/** The providers as the service uses them: how each works, and the operator's client at those that are offered. */
export interface Providers {
  readonly connectors: Connectors;
  readonly clients: ProviderClients;
}

/** Returns a provider's name on the verify page. */
export function labelOf(provider: string, { connectors, clients }: Providers): string {
  const connector = Object.values(connectors).find(({ name }) => name === provider);
  return connector ? (clients[connector.name]?.label ?? connector.label) : provider;
}

/** Returns the URL of a connector's endpoint, as configured. */
export function endpointUrl(endpoint: string, client: Pick<ProviderClient, "baseUrl">): string {
  if (client.baseUrl === undefined) return endpoint;
  const { pathname, search } = new URL(endpoint, "https://base.invalid");
  return `${client.baseUrl}${pathname}${search}`;
}
