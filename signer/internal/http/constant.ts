import type { RequestHandler } from "express";

/** Answers the same to everybody, written once. */
export function constantJson(value: object): RequestHandler {
  const body = Buffer.from(JSON.stringify(value));
  return (_request, response) => void response.type("json").send(body);
}
