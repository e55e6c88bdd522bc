import type { Router } from "express";
import { proofRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import type { Service } from "../service/service.ts";
import { sameOriginOnly } from "./guards.ts";
import { createCookies, requireShownProof } from "./session.ts";

/** `POST /verify/discard`: forgets the account that was proven, or the sign-in that failed. */
export function discard(service: Service): Router {
  const cookies = createCookies(service);
  return endpoint("/verify/discard", {
    post: [
      sameOriginOnly(service.verifyUrl),
      async (request, response) => {
        await requireShownProof(cookies, request, await readJson(request, proofRequest));
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
