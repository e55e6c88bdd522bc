import type { Router } from "express";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { sameOriginOnly } from "./guards.ts";
import { createCookies } from "./session.ts";

/** `POST /verify/discard`: forgets the account that was proven, or the sign-in that failed. */
export function discard(service: Service): Router {
  const cookies = createCookies(service);
  return endpoint("/verify/discard", {
    post: [
      sameOriginOnly(service.verifyUrl),
      (_request, response) => {
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
