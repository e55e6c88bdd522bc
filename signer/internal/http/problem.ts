import { ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { StoreUnavailableError } from "@hardhat-identity/store/database/storeUnavailable";
import type { Logger } from "@hardhat-identity/store/logger";
import type { ErrorRequestHandler, Request, Response } from "express";
import { withRemedy } from "../errors/remedies.ts";
import { notReady, ServiceError } from "../errors/serviceError.ts";
import { KeyUnavailableError } from "../keys/keySource.ts";
import { sendJson } from "./endpoint.ts";
import { noted } from "./requestLog.ts";

/**
 * Logs an error and sends it to the client. Handlers send errors nowhere else.
 *
 * @param answerPerson Answers a person in place of the JSON, once the status and the headers are set. Returns whether it did.
 */
export function problemHandler(
  logger: Logger,
  answerPerson: (request: Request, response: Response) => boolean = () => false,
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const told = toServiceError(error);
    const notes = noted(response);
    if (told.code === "internal")
      logger.error({ requestId: notes.requestId, ...describeInternal(error) }, "A request failed.");
    notes.reason = describeOutage(error);
    const problem = told.toProblem();
    notes.code = problem.code;
    if (told.retryAfter !== undefined) response.setHeader("Retry-After", String(told.retryAfter));
    response.statusCode = problem.status;
    if (answerPerson(request, response)) return;
    sendJson(response, problem, "application/problem+json; charset=utf-8");
  };
}

/** Dependencies that can fail: the error, its name in the log, and the client's answer. */
const outages = [
  [ChainUnavailableError, "chain", () => away("chain_unavailable", "The chain cannot be read")],
  [
    StoreUnavailableError,
    "credential store",
    () => away("store_unavailable", "The credential store does not answer"),
  ],
  [KeyUnavailableError, "signing key", () => notReady("sign")],
] as const;

const away = (code: "chain_unavailable" | "store_unavailable", problem: string) =>
  new ServiceError(code, `${problem} right now; try again later.`, { retryAfter: 2 });

/** The cause of an outage, for the log. */
function describeOutage(error: unknown): string | undefined {
  const [, what] = outages.find(([kind]) => error instanceof kind) ?? [];
  const { message, kind } = error as Error & Partial<ChainUnavailableError>;
  return what && `The ${what} is unavailable: ${withRemedy(message, kind)}`;
}

/** Returns the error that a client is told. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const [, , tell] = outages.find(([kind]) => error instanceof kind) ?? [];
  if (tell) return tell();
  if (isClientError(error)) return new ServiceError("invalid_argument", "The request cannot be read.");
  return new ServiceError("internal", "Something went wrong in the service; its log has the x-request-id.");
}

/** Whether Express blames the client, for a path that cannot be decoded. */
const isClientError = (error: unknown) => (error as { status?: unknown }).status === 400;

/** Describes an error without its message, in which libraries quote the request. */
export function describeInternal(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return { error: error.name, code: "code" in error ? error.code : undefined, frames };
}
