import type { Connector } from "@hardhat-identity/verify-page/connectors/connector";
import express from "express";
import type Provider from "oidc-provider";
import type { SandboxAccounts } from "./accounts.ts";
import { answerCall } from "./answers.ts";
import { fail } from "./failures.ts";
import { FormProblems, readChoice } from "./form.ts";
import { type SignIn, type SignIns, sendRefusal, sendSignIn } from "./page.ts";
import { chooseLanguage, sandboxTexts } from "./texts.ts";

/** Everything that one provider answers: its API, the page on which one says who one is, and its OAuth endpoints. */
export function createRoutes(
  connector: Connector,
  provider: Provider,
  accounts: SandboxAccounts,
  signIns: SignIns,
): express.Router {
  const router = express.Router();
  const findSignIn = async (request: express.Request, response: express.Response): Promise<SignIn> => {
    const { params, uid } = await provider.interactionDetails(request, response);
    const app = new URL("/verify?ended=true", String(params.redirect_uri));
    const language = chooseLanguage(request, params.ui_locales);
    const signIn = Object.assign(signIns.all.get(uid) ?? { app, isAnswered: false, language }, { language });
    signIns.all.set(uid, signIn);
    signIns.last = signIn;
    return signIn;
  };
  for (const [call, endpoint] of Object.entries(connector.calls)) {
    router.get(new URL(endpoint, "https://base.invalid").pathname, async (request, response) => {
      const bearer = /^bearer (.+)$/i.exec(request.get("authorization") ?? "")?.[1];
      const token = bearer ? await provider.AccessToken.find(bearer) : undefined;
      const account = accounts.get(token?.accountId ?? "");
      if (account === undefined) return void response.status(401).json({ error: "invalid_token" });
      if (account.failure !== undefined && account.failure !== "halfConsent")
        return fail(connector, account.failure, response);
      response.type("json").send(answerCall(connector, call, account));
    });
  }
  router.get("/sign-in/:uid", async (request, response) => {
    sendSignIn(response, { connector, accounts, ...(await findSignIn(request, response)) });
  });
  router.post("/sign-in/:uid", express.urlencoded({ extended: false }), async (request, response) => {
    const signIn = await findSignIn(request, response);
    const form: Record<string, unknown> = request.body ?? {};
    try {
      const result = readChoice(connector, accounts, form, signIn.language);
      signIn.isAnswered = true;
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    } catch (error) {
      if (!(error instanceof FormProblems)) throw error;
      signIn.mistake = { problems: error.problems, form };
      // To a page that Back and reload can show again, as they cannot the answer to a form.
      response.redirect(303, request.originalUrl);
    }
  });
  router.use(provider.callback());
  router.use(((error, request, response, _next) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    const signIn = signIns.all.get(request.path.replace("/sign-in/", ""));
    const language = chooseLanguage(request, signIn?.language);
    const texts = sandboxTexts[language];
    sendRefusal(response.status(statusCode), {
      connector,
      language,
      title: signIn?.isAnswered ? texts.answeredTitle : texts.endedTitle,
      says: signIn?.isAnswered ? texts.answered : texts.ended,
      // One that is not known, such as of a sandbox before this one, most likely came from where the last one did.
      app: (signIn ?? signIns.last)?.app,
    });
  }) as express.ErrorRequestHandler);
  return router;
}
