import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { readableAccent } from "../../pages/accent.ts";
import type { Brand, Logo } from "../../pages/brand.ts";

const largestLogo = 64 * 1024;

const schema = z.strictObject({
  name: z.string().regex(/^[^\p{C}\p{Z}][^\p{C}]{0,39}$/u),
  logo: z.string().min(1).optional(),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional(),
});

const wanted: Readonly<Record<string, string>> = {
  name: '"name" is a text of 1 to 40 characters',
  logo: '"logo" is the path of a picture, from the folder of the file',
  accent: '"accent" is a colour such as "#7c3aed"',
};

/**
 * Reads the file of `IDENTITY_BRAND`, and its logo.
 *
 * @returns What is wrong, to complete "IDENTITY_BRAND must be …", where something is.
 */
export function readBrand(file: string): Brand | string {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return `a file of JSON that can be read (${describe(error)})`;
  }
  const { data, error } = schema.safeParse(json);
  if (data === undefined) {
    const [issue] = error.issues;
    return `a JSON file whose ${wanted[String(issue?.path[0])] ?? "object has a name, and may have a logo and an accent, and nothing else"}`;
  }
  const { name, accent } = data;
  const logo = data.logo === undefined ? undefined : readLogo(resolve(dirname(file), data.logo));
  if (typeof logo === "string") return `a JSON file whose ${wanted.logo} (${data.logo}: ${logo})`;
  return { name, ...(logo && { logo }), ...(accent && { accent: readableAccent(accent) }) };
}

function readLogo(file: string): Logo | string {
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch (error) {
    return describe(error);
  }
  if (body.length > largestLogo) return `${body.length} bytes are more than ${largestLogo}`;
  const start = body.subarray(0, 1024).toString("latin1");
  if (start.startsWith("\x89PNG\r\n")) return { type: "image/png", body };
  if (/^RIFF.{4}WEBP/s.test(start)) return { type: "image/webp", body };
  if (/^(\xef\xbb\xbf)?\s*</.test(start) && /<svg\s/.test(start)) return { type: "image/svg+xml", body };
  return "neither SVG, PNG nor WebP";
}

const describe = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof SyntaxError ? "not JSON" : String(error));
