import type { Router } from "express";
import { eraseRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { readJson } from "../http/jsonBody.ts";
import { noted } from "../http/requestNotes.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { sameOriginOnly } from "./guards.ts";
import { requireWallet, type VisitParts } from "./session.ts";

/** `POST /verify/erase`: erases the wallet's credential at a provider. */
export function erase({ cookies, verifyUrl, store }: VisitParts & Pick<Service, "store">): Router {
  return endpoint("/verify/erase", {
    post: [
      sameOriginOnly(verifyUrl),
      async (request, response) => {
        const { wallet: shown, provider } = await readJson(request, eraseRequest);
        const { wallet } = await requireWallet(cookies, request, shown);
        if (!(await store.delete(wallet, provider, noted(response).requestId))) {
          throw new ServiceError("not_found", "The wallet has no account of this provider here.");
        }
        response.status(204).end();
      },
    ],
  });
}
