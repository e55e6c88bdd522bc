import type { IncomingMessage, ServerResponse } from "node:http";
import type { Router } from "express";
import { schemas } from "../../../protocol/schemas.ts";
import { issueVerification } from "../service/issueVerification.ts";
import type { Service } from "../service/service.ts";
import { allowOrigins } from "./cors.ts";
import { endpoint } from "./endpoint.ts";
import { parseJson, receiveJson } from "./jsonBody.ts";
import { keepFromCaches } from "./noStore.ts";
import { answerProblem } from "./problem.ts";
import { limitClients } from "./rateLimit.ts";
import { noted } from "./requestNotes.ts";

export const verificationsPath = "/v1/onchain_verifications";

/** Answers one request. Errors become answers, too. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * `POST /v1/onchain_verifications`: exchanges a signed sign-in message for a signed verification. Nearly all requests
 * come here, so they do not go through Express, which costs more than it brings here.
 */
export function onchainVerifications(service: Service): Answer {
  const limit = limitClients(service, "verifications");
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
    limit(response);
    return await receiveJson(request);
  }
  return async (request, response) => {
    const notes = noted(response);
    notes.route = verificationsPath;
    countResult(service, response);
    allowOrigins(response);
    keepFromCaches(response);
    try {
      const received = receive(request, response);
      // A refusal waits for its turn, too.
      await received.catch(() => undefined);
      const issue = async () =>
        issueVerification(service, notes, parseJson(await received, schemas.VerificationRequest));
      sendJson(response, await service.requests.run(notes.client, 1, issue));
    } catch (error) {
      if (!answerProblem(service, response, error)) response.destroy();
    }
  };
}

/** Handles all other requests at the same path. */
export const otherVerificationRequests = (answer: Answer): Router =>
  endpoint(verificationsPath, { post: [answer] });

/** Counts a request by its outcome, wherever it is refused. */
function countResult({ metrics }: Pick<Service, "metrics">, response: ServerResponse): void {
  response.once("close", () => {
    const result = response.writableFinished ? (noted(response).code ?? "issued") : "aborted";
    metrics.verifications.inc({ result });
  });
}

/** @param value Must be ASCII only. */
function sendJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", body.length);
  response.end(body, "latin1");
}
