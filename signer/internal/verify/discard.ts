import type { Router } from "express";
import { proofRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import { sameOriginOnly } from "./guards.ts";
import { requireShownProof, type VisitParts } from "./session.ts";

/** `POST /verify/discard`: forgets the proven account or the failed sign-in. */
export function discard({ cookies, verifyUrl }: VisitParts): Router {
  return endpoint("/verify/discard", {
    post: [
      sameOriginOnly(verifyUrl),
      async (request, response) => {
        await requireShownProof(cookies, request, await readJson(request, proofRequest));
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
