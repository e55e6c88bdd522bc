import type { Router } from "express";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { sameOriginOnly } from "./guards.ts";
import { createCookies } from "./session.ts";

/** `POST /verify/sign-out`: forgets the wallet, and what it was about to prove. */
export function signOut(service: Service): Router {
  const cookies = createCookies(service);
  return endpoint("/verify/sign-out", {
    post: [
      sameOriginOnly(service.verifyUrl),
      (_request, response) => {
        cookies.session.clear(response);
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
