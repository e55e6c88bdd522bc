import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { limitClients } from "../limits/clientLimit.ts";
import type { FairQueue } from "../limits/fairQueue.ts";
import type { MakeLimiter } from "../limits/limiter.ts";
import { receiveJson } from "./jsonBody.ts";
import { noted } from "./requestLog.ts";

/** The part of the service that limits requests. */
interface LimitedService {
  readonly config: { readonly rateLimit: number };
  readonly makeLimiter: MakeLimiter;
}

/** Counts each request of a client as {@link limitClients} does. */
export function rateLimit({ config, makeLimiter }: LimitedService, name: string): RequestHandler {
  const limit = limitClients(config.rateLimit, makeLimiter, name);
  return (_request, response, next) => {
    limit(noted(response).client);
    next();
  };
}

/**
 * Schedules requests round-robin per client. A refusal counts as a turn, because it costs time, too. A turn begins
 * when the request is there as a whole, so that no slow client holds one, and lasts until its answer is
 * ready, or until {@link leaveTurn}.
 */
export function takeTurns(requests: Pick<FairQueue, "runJob">): RequestHandler {
  return async (request, response, next) => {
    const notes = noted(response);
    if (request.method === "POST") {
      notes.body = receiveJson(request);
      // Its reader reports the problem.
      await notes.body.catch(() => undefined);
    }
    const work = () =>
      new Promise<void>((endTurn) => {
        notes.endTurn = endTurn;
        const end = response.end.bind(response);
        // Neither "finish" nor "close": a slow client would keep its turn, and one that left would get another at once.
        response.end = (...body: []) => {
          endTurn();
          return end(...body);
        };
        next();
      });
    await requests.runJob(notes.client, 1, work);
  };
}

/** Ends a request's turn early, because from now on it only waits. */
export const leaveTurn = (response: ServerResponse): void => noted(response).endTurn?.();
