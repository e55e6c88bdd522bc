import type { ServerResponse } from "node:http";
import type { ErrorRequestHandler } from "express";
import { ChainUnavailableError } from "../../../chain/connect.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";
import { KeyUnavailableError } from "../keys/keySource.ts";
import { LimitError } from "../limits/limitError.ts";
import type { Service } from "../service/service.ts";
import { cannot, ServiceError, storeUnavailable } from "../service/serviceError.ts";
import { noted } from "./requestLog.ts";

/** Logs an error and sends it to the client. Handlers send errors nowhere else. */
export function problemHandler({ logger }: Service): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    const told = toServiceError(error);
    const notes = noted(response);
    if (told.code === "internal")
      logger.error({ requestId: notes.requestId, ...describeInternal(error) }, "A request failed.");
    notes.reason = describeOutage(error);
    sendProblem(response, told);
  };
}

function sendProblem(response: ServerResponse, error: ServiceError): void {
  const problem = error.toProblem();
  noted(response).code = problem.code;
  if (error.retryAfter !== undefined) response.setHeader("Retry-After", String(error.retryAfter));
  const body = Buffer.from(JSON.stringify(problem));
  response.statusCode = problem.status;
  response.setHeader("Content-Type", "application/problem+json; charset=utf-8");
  response.setHeader("Content-Length", body.length);
  response.end(body);
}

/** The cause of an outage, for the log. */
function describeOutage(error: unknown): string | undefined {
  if (error instanceof ChainUnavailableError) return `The chain is unavailable: ${error.message}`;
  if (error instanceof StoreUnavailableError) return `The credential store is unavailable: ${error.message}`;
  if (error instanceof KeyUnavailableError) return `The signing key is unavailable: ${error.message}`;
  return undefined;
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof LimitError) {
    return new ServiceError(error.code, error.message, { retryAfter: error.retryAfter });
  }
  if (error instanceof ChainUnavailableError) {
    return new ServiceError("chain_unavailable", "The chain cannot be read right now; try again later.", {
      retryAfter: 2,
    });
  }
  if (error instanceof StoreUnavailableError) return storeUnavailable();
  if (error instanceof KeyUnavailableError) return cannot("sign");
  if (isClientError(error)) return new ServiceError("invalid_argument", "The request cannot be read.");
  return new ServiceError("internal", "Something went wrong in the service; its log has the x-request-id.");
}

/** Whether Express blames the client, for a path that cannot be decoded. */
const isClientError = (error: unknown) => error instanceof Error && "status" in error && error.status === 400;

/** Describes an error without its message, in which libraries quote the request. */
function describeInternal(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: "code" in error ? error.code : undefined, frames };
}
