import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { requireAllowed } from "../limits/limiter.ts";
import type { Service } from "../service/service.ts";
import { receiveJson } from "./jsonBody.ts";
import { noted } from "./requestLog.ts";

/**
 * Allows the configured number of requests a minute from one client address (an IPv6 client's /56 counts as one).
 *
 * @param name The name of the limit. Each limit has its own counts.
 * @returns A function that counts a request of a client. It throws ServiceError `rate_limited`.
 */
export function limitClients({ config, makeLimiter }: Service, name: string): (client: string) => void {
  if (config.rateLimit === 0) return () => undefined;
  const limiter = makeLimiter(name, config.rateLimit);
  return (client) => requireAllowed(limiter, client);
}

/** The same as Express middleware. */
export function rateLimit(service: Service, name: string): RequestHandler {
  const limit = limitClients(service, name);
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
export function takeTurns({ requests }: Service): RequestHandler {
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
    await requests.run(notes.client, 1, work);
  };
}

/** Ends a request's turn early, because from now on it only waits. */
export const leaveTurn = (response: ServerResponse): void => noted(response).endTurn?.();
