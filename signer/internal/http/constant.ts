import type { RequestHandler } from "express";

/** Answers all requests with the same JSON, which is serialized once. */
export function constantJson(value: object): RequestHandler {
  const body = Buffer.from(JSON.stringify(value));
  return (_request, response) => void response.type("json").send(body);
}
