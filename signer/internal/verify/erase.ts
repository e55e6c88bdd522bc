import type { Router } from "express";
import { eraseRequest } from "../../../protocol/verifyPage.ts";
import { noted } from "../http/requestNotes.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { pageAction } from "./pageAction.ts";
import { requireWallet, type VisitParts } from "./session.ts";

/** `POST /verify/erase`: erases the wallet's credential at a provider. */
export function erase({ cookies, verifyUrl, store }: VisitParts & Pick<Service, "store">): Router {
  return pageAction(
    "/verify/erase",
    verifyUrl,
    eraseRequest,
    async ({ wallet: shown, provider }, request, response) => {
      const { wallet } = await requireWallet(cookies, request, shown);
      if (!(await store.delete(wallet, provider, noted(response).requestId))) {
        throw new ServiceError("not_found", "The wallet has no account of this provider here.");
      }
      response.status(204).end();
    },
  );
}
