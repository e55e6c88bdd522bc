import type { Router } from "express";
import { proofRequest } from "../../../protocol/verifyPage.ts";
import { pageAction } from "./pageAction.ts";
import { requireShownProof, type VisitParts } from "./session.ts";

/** `POST /verify/discard`: forgets the proven account or the failed sign-in. */
export function discard({ cookies, verifyUrl }: VisitParts): Router {
  return pageAction("/verify/discard", verifyUrl, proofRequest, async (shown, request, response) => {
    cookies.proofs.clear(response, await requireShownProof(cookies, request, shown));
    response.status(204).end();
  });
}
