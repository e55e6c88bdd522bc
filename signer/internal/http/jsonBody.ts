import express, { type RequestHandler } from "express";
import { schemas } from "../../../protocol/schemas.ts";
import type { VerificationRequest } from "../../../protocol/verification.ts";
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

/**
 * Parses the body of a request for a verification. Members that it does not know are ignored.
 *
 * @throws ServiceError `invalid_argument`, saying what is wrong.
 */
export function parseRequest(body: unknown): VerificationRequest {
  const text = decode(body);
  const { data, error } = schemas.VerificationRequest.safeParse(parseJson(text));
  if (data === undefined) throw malformed(error.issues[0]?.message);
  // JSON.parse keeps the last of two members of one name; another reader of the same body may keep the first.
  const names = memberNames(text);
  for (const name of Object.keys(data)) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw malformed(`${name} occurs twice`);
  }
  return data;
}

const malformed = (problem: string | undefined) =>
  new ServiceError("invalid_argument", `The request is malformed: ${problem}.`);

/** The names of an object's own members, in the order of the JSON text, which is known to be sound. */
function memberNames(json: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, string, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]/g)) {
    if (string === undefined) depth += token === "{" || token === "[" ? 1 : -1;
    else if (colon !== undefined && depth === 1) names.push(JSON.parse(string));
  }
  return names;
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
