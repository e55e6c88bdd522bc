import express, { type RequestHandler } from "express";
import { z } from "zod";
import type { VerificationRequest } from "../issueVerification.ts";
import { ServiceError } from "../serviceError.ts";

/** Takes a body of JSON in UTF-8, up to 16 kB and not compressed, as bytes; see {@link parseRequest}. */
export const receiveJson: readonly RequestHandler[] = [
  (request, _response, next) => {
    if (!isUtf8Json(request.headers["content-type"])) {
      throw new ServiceError(
        "unsupported_media_type",
        "The Content-Type must be application/json, in UTF-8.",
      );
    }
    next();
  },
  express.raw({ type: () => true, limit: "16kb", inflate: false }),
];

const requestShape = z.strictObject(
  {
    message: z.string("message must be a string: the sign-in message"),
    signature: z
      .string("signature must be a string: 0x and hex digits")
      .regex(/^0x(?:[0-9a-fA-F]{2})+$/, "signature must be 0x and an even number of hex digits"),
  },
  "the body must be a JSON object with exactly the members message and signature",
);

/**
 * Parses the body of a request for a verification.
 *
 * @throws ServiceError `invalid_argument`, saying what is wrong.
 */
export function parseRequest(body: unknown): VerificationRequest {
  const text = decode(body);
  const { data, error } = requestShape.safeParse(parseJson(text));
  if (data === undefined) {
    const [issue] = error.issues;
    throw new ServiceError("invalid_argument", `The request is malformed: ${issue?.message}.`);
  }
  // JSON.parse keeps the last of two members of one name; another reader of the same body may keep the first.
  const strings = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  if (strings.length !== 4) {
    throw new ServiceError("invalid_argument", "The request is malformed: a member occurs twice.");
  }
  return data;
}

function decode(body: unknown): string {
  if (!(body instanceof Uint8Array)) {
    throw new ServiceError("invalid_argument", "The request has no body.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new ServiceError("invalid_argument", "The body is not UTF-8.");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("invalid_argument", "The body is not JSON.");
  }
}

function isUtf8Json(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?$/i.test(contentType ?? "");
}
