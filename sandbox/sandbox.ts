import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type Provider from "oidc-provider";
import { isLocalNode } from "../chain/localNode.ts";
import type { ProviderName } from "../protocol/catalogue.ts";
import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import type { ProviderClient, ProviderClients } from "../signer/providers/client.ts";
import type { Connector } from "../signer/providers/connector.ts";
import { connectors } from "../signer/providers/connectors.ts";
import { createAccounts, type SandboxAccounts } from "./accounts.ts";
import { answerCall } from "./answers.ts";
import { readInventedAccount } from "./form.ts";
import { pagePolicy, renderPage } from "./page.ts";
import { createProvider } from "./provider.ts";

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
 * Starts the sandbox identity provider on loopback: an OAuth 2.0 server in place of each provider, at which one picks or
 * invents an account.
 *
 * @param options.node The chain that verifications are for.
 * @param options.port Port to listen on; any free one when missing.
 * @throws InvalidInputError when the chain is not a local node: anyone may claim to be anybody here.
 */
export async function startSandbox(options: { node: Eip1193Connection; port?: number }): Promise<Sandbox> {
  if (!(await isLocalNode(options.node))) {
    throw new InvalidInputError(
      "The sandbox identity provider lets anybody be anybody, so it starts for a local node only; this chain is not one.",
    );
  }
  const app = express().disable("x-powered-by");
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const entries = await Promise.all(
    Object.values(connectors).map(async (connector) => {
      const accounts = createAccounts(connector.name);
      const client = createClient(connector, url);
      const issuer = `${url}/${connector.name}`;
      const cookieSecret = randomSecret();
      const provider = await createProvider({ connector, client, issuer, accounts, cookieSecret });
      app.use(`/${connector.name}`, createRoutes(connector, provider, accounts));
      return [connector.name, { client, accounts }] as const;
    }),
  );
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

function createClient({ name, label }: Connector, url: string): ProviderClient {
  return {
    clientId: `sandbox-${name}`,
    clientSecret: randomSecret(),
    baseUrl: `${url}/${name}`,
    label: `${label} (sandbox)`,
  };
}

function createRoutes(connector: Connector, provider: Provider, accounts: SandboxAccounts): express.Router {
  const router = express.Router();
  for (const [call, endpoint] of Object.entries(connector.calls)) {
    router.get(new URL(endpoint, "https://base.invalid").pathname, async (request, response) => {
      const bearer = /^bearer (.+)$/i.exec(request.get("authorization") ?? "")?.[1];
      const token = bearer ? await provider.AccessToken.find(bearer) : undefined;
      const account = accounts.get(token?.accountId ?? "");
      if (account === undefined) return void response.status(401).json({ error: "invalid_token" });
      response.type("json").send(answerCall(connector, call, account));
    });
  }
  router.get("/sign-in/:uid", async (request, response) => {
    await provider.interactionDetails(request, response);
    sendPage(response, renderPage(connector, accounts));
  });
  router.post("/sign-in/:uid", express.urlencoded({ extended: false }), async (request, response) => {
    await provider.interactionDetails(request, response);
    const form: Record<string, unknown> = request.body ?? {};
    try {
      const result = readChoice(connector, accounts, form);
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      sendPage(response.status(400), renderPage(connector, accounts, error.message));
    }
  });
  router.use(provider.callback());
  router.use(((error, _request, response, _next) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    response
      .status(statusCode)
      .type("text")
      .send("This sign-in has ended. Go back to the app and start again.\n");
  }) as express.ErrorRequestHandler);
  return router;
}

function readChoice({ name }: Connector, accounts: SandboxAccounts, form: Record<string, unknown>) {
  if (form.action === "refuse") {
    return { error: "access_denied", error_description: "The person refused." };
  }
  if (form.action === "invent") {
    const account = readInventedAccount(name, form);
    accounts.set(account.accountId, account);
    return { login: { accountId: account.accountId } };
  }
  const accountId = String(form.pick ?? "");
  if (!accounts.has(accountId)) throw new InvalidInputError("Pick one of the accounts.");
  return { login: { accountId } };
}

function sendPage(response: express.Response, html: string): void {
  response
    .set({
      "content-security-policy": pagePolicy,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    })
    .type("html")
    .send(html);
}

const randomSecret = (): string => randomBytes(32).toString("hex");
