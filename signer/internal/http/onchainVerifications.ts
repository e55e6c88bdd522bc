import type { SignedVerification, VerificationRequest } from "@hardhat-identity/protocol/verification";
import { type Response, Router } from "express";
import { schemas } from "../../schemas.ts";
import { limitClients } from "../limits/clientLimit.ts";
import type { FairQueue } from "../limits/fairQueue.ts";
import type { MakeLimiter } from "../limits/limiter.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { allowAnyOrigin, endpoint, noStore, sendJson } from "./endpoint.ts";
import { parseJson, receiveJson } from "./jsonBody.ts";
import { noted } from "./requestLog.ts";

const path = "/v1/onchain_verifications";

/** The part of the service that issues verifications over HTTP. */
interface IssuingService {
  readonly config: { readonly rateLimit: number };
  readonly makeLimiter: MakeLimiter;
  /** The queue of requests, each of size 1. */
  readonly requests: Pick<FairQueue, "runJob">;
  readonly metrics: Pick<Metrics, "verifications">;
  issue(
    asked: { readonly client: string; readonly requestId: string },
    request: VerificationRequest,
  ): Promise<SignedVerification>;
}

/**
 * `POST /v1/onchain_verifications`: exchanges a signed sign-in message for a signed verification. A request takes its turn
 * once it is there as a whole, so that no slow client holds one.
 */
export function onchainVerifications(service: IssuingService): Router {
  const { config, makeLimiter, requests, metrics } = service;
  const limit = limitClients(config.rateLimit, makeLimiter, "verifications");
  const router = Router({ caseSensitive: true, strict: true });
  return router.all(path, allowAnyOrigin, noStore, async (request, response, next) => {
    if (request.method !== "POST") return next();
    const notes = noted(response);
    notes.route = path;
    countResult(metrics, response);
    const received = (async () => {
      limit(notes.client);
      return await receiveJson(request);
    })();
    // A refusal waits for its turn, too.
    await received.catch(() => undefined);
    const issue = async () => service.issue(notes, parseJson(await received, schemas.VerificationRequest));
    sendJson(response, await requests.runJob(notes.client, 1, issue));
  });
}

/** Answers all other methods at the same path. */
export const otherVerificationRequests = (): Router => endpoint(path, "post");

/** Counts a request by its outcome, wherever it is refused. */
function countResult(metrics: IssuingService["metrics"], response: Response): void {
  response.once("close", () => {
    const result = response.writableFinished ? (noted(response).code ?? "issued") : "aborted";
    metrics.verifications.inc({ result });
  });
}
