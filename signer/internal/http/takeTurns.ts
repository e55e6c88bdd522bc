import type { RequestHandler } from "express";
import type { Service } from "../service/service.ts";
import { noted } from "./requestNotes.ts";

/** Handles requests in an order in which clients take turns. Even a refusal takes one: it costs time, too. */
export function takeTurns({ requests }: Pick<Service, "requests">): RequestHandler {
  return (_request, response, next) => {
    requests.run(noted(response).client, 1, async () => next()).catch(next);
  };
}
