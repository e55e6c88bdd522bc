import type { Router } from "express";
import { signOutRequest } from "../../../protocol/verifyPage.ts";
import { pageAction } from "./pageAction.ts";
import { demandShown, type VisitParts } from "./session.ts";

/** `POST /verify/sign-out`: forgets the wallet and its unfinished proof. */
export function signOut({ cookies, verifyUrl }: VisitParts): Router {
  return pageAction(
    "/verify/sign-out",
    verifyUrl,
    signOutRequest,
    async ({ wallet: shown }, request, response) => {
      const session = await cookies.session.read(request);
      if (session !== undefined) demandShown(session, shown);
      cookies.session.clear(response);
      cookies.proofs.clearAll(request, response);
      response.status(204).end();
    },
  );
}
