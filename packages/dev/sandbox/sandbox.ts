// The identity provider for development: one OAuth server in place of each provider, for a local node only. It follows the
// signer's connectors, and knows nothing else of the service.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { ProviderName } from "@hardhat-identity/protocol/catalogue";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Connectors } from "@hardhat-identity/verify-page/connectors/connector";
import { connectors as builtIn } from "@hardhat-identity/verify-page/connectors/connectors";
import type { ProviderClients } from "@hardhat-identity/verify-page/connectors/registration";
import express from "express";
import { listenOnLoopback } from "hardhat-identity/internal/stack/ports";
import { createAccounts, type SandboxAccounts } from "./internal/accounts.ts";
import { type SignIns, sendFront, sendNotFound } from "./internal/page.ts";
import { createRoutes } from "./internal/routes.ts";

/** A running sandbox. */
export interface Sandbox {
  readonly url: string;
  /** The signer's `providers` configuration, which sends people here. */
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
 * @param options.connectors The service's connectors, if corrected: the sandbox answers as they expect.
 * @throws InvalidInputError when the chain is not a local node: anyone may claim to be anybody here. Also when
 * `oidc-provider`, which a service does without, is not installed.
 */
export async function startSandbox(options: {
  node: Eip1193Connection;
  connectors?: Connectors;
}): Promise<Sandbox> {
  const { node, connectors = builtIn } = options;
  if (!(await isLocalNode(node))) {
    throw new InvalidInputError(
      "The sandbox identity provider lets anybody sign in as anybody, so it starts only for a local node, which this is not.",
    );
  }
  const createProvider = await loadProvider();
  const app = express().disable("x-powered-by");
  const { url, close } = await listenOnLoopback(createServer(app));
  const signIns: SignIns = { all: new Map() };
  const all = Object.values(connectors);
  const people = Object.fromEntries(
    all.map(({ name }) => [name, createAccounts(name)]),
  ) as Sandbox["accounts"];
  const clients = await Promise.all(
    all.map(async (connector) => {
      const { name, label } = connector;
      const accounts = people[name];
      const issuer = `${url}/${name}`;
      const own = { clientId: `sandbox-${name}`, clientSecret: randomBytes(32).toString("hex") };
      const client = { ...own, baseUrl: issuer, label: `${label} (sandbox)` };
      const provider = await createProvider({ connector, client, issuer, accounts, signIns });
      app.use(`/${name}`, createRoutes(connector, provider, accounts, signIns));
      return [name, client] as const;
    }),
  ).catch(async (error) => {
    await close();
    throw error;
  });
  app.get("/", (request, response) => sendFront(request, response, signIns));
  app.use((request, response) => sendNotFound(request, response.status(404), signIns));
  return {
    url,
    clients: Object.fromEntries(clients) as Sandbox["clients"],
    accounts: people,
    close,
  };
}

async function loadProvider() {
  try {
    return (await import("./internal/provider.ts")).createProvider;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !error.message.includes("'oidc-provider'")) throw error;
    throw new InvalidInputError(
      "The sandbox identity provider needs oidc-provider, an optional package that is not installed; install it with `npm i oidc-provider`.",
      { cause: error },
    );
  }
}
