import type { ErrorRequestHandler, Response } from "express";
import { type Problem, type ServiceErrorCode, serviceErrors } from "../../protocol/errors.ts";
import { ChainUnavailableError } from "../chain/node.ts";
import type { Logger } from "../log.ts";

/** An error that the client is told: what is not one becomes `internal`, without a word of what happened. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  /** Where to send the user, with `verification_not_found` and `needs_reauth`. */
  readonly verifyUrl: string | undefined;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;

  /** @param detail One sentence for the developer of the client. It may quote what the client sent. */
  constructor(
    code: ServiceErrorCode,
    detail: string,
    options: { verifyUrl?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.verifyUrl = options.verifyUrl;
    this.retryAfter = options.retryAfter;
  }

  /** The body of the response, as RFC 9457 has it. */
  toProblem(): Problem {
    const { status, title } = serviceErrors[this.code];
    return {
      type: `urn:hardhat-identity:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.verifyUrl === undefined ? {} : { verifyUrl: this.verifyUrl }),
    };
  }
}

/** Express's last handler: the one place where errors leave the service. */
export function problemHandler(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    const told = toServiceError(error);
    if (told.code === "internal") logInternal(logger, response, error);
    if (told.code === "chain_unavailable") {
      logger.warn(
        { requestId: response.locals.requestId, reason: error.message },
        "The chain is unavailable.",
      );
    }
    if (response.headersSent) return next(error);
    sendProblem(response, told);
  };
}

function sendProblem(response: Response, error: ServiceError): void {
  const problem = error.toProblem();
  response.locals.code = problem.code;
  if (error.retryAfter !== undefined) response.setHeader("Retry-After", String(error.retryAfter));
  response.status(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ChainUnavailableError) {
    return new ServiceError("chain_unavailable", "The chain cannot be read right now; try again later.", {
      retryAfter: 2,
    });
  }
  const status = readClientStatus(error);
  if (status === 413) return new ServiceError("payload_too_large", "The body is larger than 16 kB.");
  if (status === 415) {
    return new ServiceError("unsupported_media_type", "The body must be sent uncompressed and in UTF-8.");
  }
  if (status !== undefined) return new ServiceError("invalid_argument", "The request cannot be read.");
  return new ServiceError("internal", "Something went wrong in the service; its log knows the x-request-id.");
}

/** The 4xx status that Express or its body parser gave an error of the client's making. */
function readClientStatus(error: unknown): number | undefined {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

/** Without the error's message: libraries quote in it what a client sent. */
function logInternal(logger: Logger, response: Response, error: unknown): void {
  const { name, stack = "" } = error instanceof Error ? error : { name: typeof error };
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  logger.error({ requestId: response.locals.requestId, error: name, code, frames }, "A request failed.");
}
