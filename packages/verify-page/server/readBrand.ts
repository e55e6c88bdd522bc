import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { describeChangeable } from "@hardhat-identity/signer/pages";
import { z } from "zod";
import { readableAccent } from "../html/accent.ts";
import type { Brand, Logo } from "../html/brand.ts";

const largestLogo = 64 * 1024;

const schema = z.strictObject({
  name: z.string().regex(/^[^\p{C}\p{Z}][^\p{C}]{0,39}$/u),
  logo: z.string().min(1).optional(),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional(),
  privacyUrl: z.url({ protocol: /^https?$/ }).optional(),
});

const wanted =
  'a JSON file with a "name" of 1 to 40 characters, and perhaps a "logo", the path of a picture (SVG, PNG or WebP, up to ' +
  '64 kB) from the folder of the file, an "accent" such as "#7c3aed", and a "privacyUrl", the http(s) URL of your privacy ' +
  "notice";

/**
 * Reads the file of `IDENTITY_BRAND`, and its logo.
 *
 * @throws InvalidInputError that completes "IDENTITY_BRAND must be …".
 */
export function readBrand(file: string): Brand {
  try {
    refuseChangeable(file);
    const { name, logo, accent, privacyUrl } = schema.parse(JSON.parse(decodeFile(readFileSync(file))));
    return {
      name,
      ...(logo && { logo: readLogo(resolve(dirname(file), logo)) }),
      ...(accent && { accent: readableAccent(accent) }),
      ...(privacyUrl && { privacyUrl }),
    };
  } catch (error) {
    throw new InvalidInputError(`${wanted} (${describeFileError(error)})`);
  }
}

/** Anybody who can change what the page shows could name another service on it. */
function refuseChangeable(file: string): void {
  const exposure = describeChangeable(file);
  if (exposure !== undefined) throw new Error(`${file} is a file that ${exposure}`);
}

function readLogo(file: string): Logo {
  refuseChangeable(file);
  const body = readFileSync(file);
  if (body.length > largestLogo) throw new Error(`the logo has ${body.length} bytes`);
  const start = body.subarray(0, 1024).toString("latin1");
  if (start.startsWith("\x89PNG\r\n")) return { type: "image/png", body };
  if (/^RIFF.{4}WEBP/s.test(start)) return { type: "image/webp", body };
  if (/^(\xef\xbb\xbf)?\s*</.test(start) && /<svg\s/.test(start)) return { type: "image/svg+xml", body };
  throw new Error("the logo is neither SVG, PNG nor WebP");
}

function describeFileError(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not JSON";
  if (!(error instanceof z.ZodError)) return (error as Error).message;
  const [issue] = error.issues;
  const names = issue?.code === "unrecognized_keys" ? issue.keys : (issue?.path ?? []);
  return `look at ${names.map((name) => JSON.stringify(name)).join(", ") || "the object"}`;
}
