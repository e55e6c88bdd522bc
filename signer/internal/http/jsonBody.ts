import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import { ServiceError } from "../errors/serviceError.ts";

/** The greatest size of a body, in bytes. */
const maxBodyBytes = 16 * 1024;

/**
 * Receives a JSON body in UTF-8, uncompressed and of at most 16 kB.
 *
 * @throws ServiceError `unsupported_media_type`, `payload_too_large`, `invalid_argument` when the body breaks off, or
 * `internal` when somebody else has read it.
 */
export async function receiveJson(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (!isUtf8Json(headers["content-type"])) {
    throw new ServiceError("unsupported_media_type", "The Content-Type must be application/json, in UTF-8.");
  }
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "The body must not be compressed.");
  }
  if (Number(headers["content-length"]) > maxBodyBytes) throw tooLarge();
  // A body can be read once: behind a body parser, the client would wait for ever.
  if (request.readableEnded)
    throw new ServiceError(
      "internal",
      "The app reads bodies before the service does. Mount the service before any body parser.",
    );
  return receive(request);
}

function receive(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= maxBodyBytes) parts.push(part);
      else reject(tooLarge());
    });
    request.once("end", () => resolve(Buffer.concat(parts)));
    request.once("error", () => {
      reject(new ServiceError("invalid_argument", "The request cannot be read."));
    });
  });
}

const tooLarge = () => new ServiceError("payload_too_large", "The body is larger than 16 kB.");

/**
 * Parses and checks a received body. Members that the schema does not know are ignored.
 *
 * @throws ServiceError `invalid_argument` with the problem.
 */
export function parseJson<Body>(body: Buffer, schema: z.ZodType<Body>): Body {
  const text = decode(body);
  const { success, data, error } = schema.safeParse(parse(text));
  if (!success) throw malformed(describeIssue(error.issues[0]));
  // JSON.parse keeps the last of two members with the same name; another parser may keep the first.
  const names = memberNames(text);
  const twice = Object.keys(data as object).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw malformed(`${twice} occurs twice`);
  return data;
}

const describeIssue = (issue: z.core.$ZodIssue | undefined) =>
  issue && [...issue.path, issue.message].join(" ");

const malformed = (problem: string | undefined) =>
  new ServiceError("invalid_argument", `The request is malformed: ${problem}.`);

/**
 * Returns the names of an object's own members, in the order of the JSON text, which must be valid. A string at depth 1 is
 * a name if a colon follows it; no other string is.
 */
function memberNames(json: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charAt(at);
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const end = endOfString(json, at);
      if (depth === 1 && json.slice(end).trimStart().startsWith(":")) {
        names.push(JSON.parse(json.slice(at, end)));
      }
      at = end - 1;
    }
  }
  return names;
}

/** Returns the position after the closing quote of the string that begins at a position. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  // A backslash takes the next character with it, which may be a quote.
  while (json.charAt(at) !== '"') at += json.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

function decode(body: Buffer): string {
  if (body.length === 0) throw new ServiceError("invalid_argument", "The request has no body.");
  if (!isUtf8(body)) throw new ServiceError("invalid_argument", "The body is not UTF-8.");
  return body.toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError("invalid_argument", "The body is not JSON.");
  }
}

/** JSON's media type has no parameters (RFC 8259, section 11): they change nothing, except a charset that is not UTF-8. */
function isUtf8Json(contentType = ""): boolean {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const isOther = (parameter: string) => /^charset\b/i.test(parameter) && !isUtf8Charset.test(parameter);
  return /^application\/json$/i.test(type) && !parameters.some(isOther);
}

const isUtf8Charset = /^charset\s*=\s*(?:utf-?8|"utf-?8")$/i;
