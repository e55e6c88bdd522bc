import type { RequestHandler, Router } from "express";
import { issueVerification } from "../issueVerification.ts";
import type { Service } from "../service.ts";
import { clientAddress } from "./clientAddress.ts";
import { endpoint } from "./endpoint.ts";
import { parseRequest, receiveJson } from "./jsonBody.ts";
import { rateLimit } from "./rateLimit.ts";

/** `POST /v1/onchain_verifications`: a signed sign-in message for a signed verification. */
export function onchainVerifications(service: Service): Router {
  return endpoint("/v1/onchain_verifications", {
    post: [
      countResult(service),
      rateLimit(service, "verifications"),
      ...receiveJson,
      async (request, response) => {
        const client = clientAddress(request);
        const issue = async () => issueVerification(service, client, parseRequest(request.body));
        response.json(await service.requests.run(client, 1, issue));
      },
    ],
  });
}

/** Counts what comes of a request, whatever it is that refuses it. */
function countResult({ metrics }: Service): RequestHandler {
  return (_request, response, next) => {
    response.once("close", () => {
      const result = response.writableFinished ? (response.locals.code ?? "issued") : "aborted";
      metrics.verifications.inc({ result });
    });
    next();
  };
}
