import type { Router } from "express";
import { signOutRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import type { Service } from "../service/service.ts";
import { sameOriginOnly } from "./guards.ts";
import { createCookies, demandShown } from "./session.ts";

/** `POST /verify/sign-out`: forgets the wallet, and what it was about to prove. */
export function signOut(service: Service): Router {
  const cookies = createCookies(service);
  return endpoint("/verify/sign-out", {
    post: [
      sameOriginOnly(service.verifyUrl),
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
