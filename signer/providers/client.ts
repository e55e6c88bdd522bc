import type { ProviderName } from "../../protocol/catalogue.ts";
import { connectors } from "./connectors.ts";

/** What the operator has configured for one provider. */
export interface ProviderClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Stands in for the scheme, host and port of every endpoint of the connector, without a slash at the end. */
  readonly baseUrl?: string | undefined;
  /** What the verify page calls the provider, in place of the connector's label. */
  readonly label?: string | undefined;
}

/** The providers at which an account can be proven here. */
export type ProviderClients = Readonly<Partial<Record<ProviderName, ProviderClient>>>;

/** What the verify page calls a provider. */
export function labelOf(provider: string, clients: ProviderClients): string {
  const connector = Object.values(connectors).find(({ name }) => name === provider);
  return connector ? (clients[connector.name]?.label ?? connector.label) : provider;
}

/** An endpoint of a connector, as configured. */
export function endpointUrl(endpoint: string, client: Pick<ProviderClient, "baseUrl">): string {
  if (client.baseUrl === undefined) return endpoint;
  const { pathname, search } = new URL(endpoint, "https://base.invalid");
  return `${client.baseUrl}${pathname}${search}`;
}
