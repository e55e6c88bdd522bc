import express from "express";
import type Provider from "oidc-provider";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccounts } from "./accounts.ts";
import { answerCall } from "./answers.ts";
import { FormProblem, readChoice } from "./form.ts";
import { sendRefusal, sendSignIn } from "./page.ts";

/** Everything that one provider answers: its API, the page on which one says who one is, and its OAuth endpoints. */
export function createRoutes(
  connector: Connector,
  provider: Provider,
  accounts: SandboxAccounts,
): express.Router {
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
    const app = appOf(await provider.interactionDetails(request, response));
    sendSignIn(request, response, { connector, accounts, app });
  });
  router.post("/sign-in/:uid", express.urlencoded({ extended: false }), async (request, response) => {
    const app = appOf(await provider.interactionDetails(request, response));
    const form: Record<string, unknown> = request.body ?? {};
    try {
      const result = readChoice(connector, accounts, form);
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch (error) {
      if (!(error instanceof FormProblem)) throw error;
      sendSignIn(request, response.status(400), { connector, accounts, app, problem: error.says });
    }
  });
  router.use(provider.callback());
  router.use(((error, request, response, _next) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    sendRefusal(request, response.status(statusCode), {
      connector,
      title: (texts) => texts.endedTitle,
      says: (texts) => texts.ended,
    });
  }) as express.ErrorRequestHandler);
  return router;
}

/** Host of the app that asks for a sign-in. */
const appOf = ({ params }: { params: Record<string, unknown> }) => new URL(String(params.redirect_uri)).host;
