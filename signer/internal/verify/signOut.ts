import type { Router } from "express";
import { signOutRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import { sameOriginOnly } from "./guards.ts";
import { demandShown, type VisitParts } from "./session.ts";

/** `POST /verify/sign-out`: forgets the wallet and its unfinished proof. */
export function signOut({ cookies, verifyUrl }: VisitParts): Router {
  return endpoint("/verify/sign-out", {
    post: [
      sameOriginOnly(verifyUrl),
      async (request, response) => {
        const { wallet: shown } = await readJson(request, signOutRequest);
        const session = await cookies.session.read(request);
        if (session !== undefined) demandShown(session, shown);
        cookies.session.clear(response);
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
