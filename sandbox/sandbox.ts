import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { isLocalNode } from "../chain/localNode.ts";
import type { ProviderName } from "../protocol/catalogue.ts";
import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import type { ProviderClient, ProviderClients } from "../signer/providers/client.ts";
import type { Connector } from "../signer/providers/connector.ts";
import { connectors } from "../signer/providers/connectors.ts";
import { createAccounts, type SandboxAccounts } from "./internal/accounts.ts";
import { sendFront, sendNotFound, type Visits } from "./internal/page.ts";
import { createRoutes } from "./internal/routes.ts";

/** A running sandbox. */
export interface Sandbox {
  readonly url: string;
  /** What the signer needs to send people here: its `providers` configuration. */
  readonly clients: Required<ProviderClients>;
  /** The accounts at each provider; they may be changed at any time. */
  readonly accounts: Readonly<Record<ProviderName, SandboxAccounts>>;
  close(): Promise<void>;
}

/**
 * Starts the sandbox identity provider on loopback: an OAuth 2.0 server in place of each provider, with test users to
 * continue as.
 *
 * @param options.node The chain that verifications are for.
 * @throws InvalidInputError when the chain is not a local node: anyone may claim to be anybody here. Also when
 * `oidc-provider`, which a service does without, is not installed.
 */
export async function startSandbox(options: { node: Eip1193Connection }): Promise<Sandbox> {
  if (!(await isLocalNode(options.node))) {
    throw new InvalidInputError(
      "The sandbox identity provider lets anybody be anybody, so it starts for a local node only; this chain is not one.",
    );
  }
  const createProvider = await loadProvider();
  const app = express().disable("x-powered-by");
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const visits: Visits = { all: new Map() };
  const entries = await Promise.all(
    Object.values(connectors).map(async (connector) => {
      const accounts = createAccounts(connector.name);
      const client = createClient(connector, url);
      const issuer = `${url}/${connector.name}`;
      const cookieSecret = randomSecret();
      const provider = await createProvider({ connector, client, issuer, accounts, cookieSecret, visits });
      app.use(`/${connector.name}`, createRoutes(connector, provider, accounts, visits));
      return [connector.name, { client, accounts }] as const;
    }),
  );
  app.get("/", (request, response) => sendFront(request, response, visits));
  app.use((request, response) => sendNotFound(request, response.status(404), visits));
  return {
    url,
    clients: Object.fromEntries(entries.map(([name, { client }]) => [name, client])) as Sandbox["clients"],
    accounts: Object.fromEntries(
      entries.map(([name, { accounts }]) => [name, accounts]),
    ) as Sandbox["accounts"],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function loadProvider() {
  try {
    return (await import("./internal/provider.ts")).createProvider;
  } catch (error) {
    if (!isNotInstalled(error, "oidc-provider")) throw error;
    throw new InvalidInputError(
      "The sandbox identity provider needs oidc-provider, an optional package that was left out here; install it with `npm i oidc-provider`.",
      { cause: error },
    );
  }
}

function isNotInstalled(error: unknown, name: string): boolean {
  const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  return isMissing && error.message.includes(`'${name}'`);
}

function createClient({ name, label }: Connector, url: string): ProviderClient {
  return {
    clientId: `sandbox-${name}`,
    clientSecret: randomSecret(),
    baseUrl: `${url}/${name}`,
    label: `${label} (sandbox)`,
  };
}

const randomSecret = (): string => randomBytes(32).toString("hex");
