import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Request, RequestHandler } from "express";

/** The file name endings of compressed copies by content coding, the smallest copy first. */
const encodings = { br: ".br", gzip: ".gz" } as const;

/** A file and its compressed copies, the smallest first. */
interface Asset {
  readonly body: Buffer;
  readonly type: string;
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/**
 * Serves the page's scripts and styles. Browsers that accept it get the compressed copy from the bundle. All files are
 * read once, so that no request opens a file.
 */
export function assets(folder: string): RequestHandler {
  const files = readAssets(folder);
  return (request, response, next) => {
    const asset = files.get(request.path.slice(1));
    if (asset === undefined || !["GET", "HEAD"].includes(request.method)) return next();
    const { body, type, compressed } = asset;
    if (compressed.size > 0) response.vary("Accept-Encoding");
    const encoding = chooseEncoding(request, [...compressed.keys()]);
    const chosen = compressed.get(encoding);
    if (chosen !== undefined) response.setHeader("Content-Encoding", encoding);
    // The file names contain a hash of the content.
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    response.type(type).send(chosen ?? body);
  };
}

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const isCompressed = (name: string) => Object.values(encodings).some((end) => name.endsWith(end));
  const plain = [...files].filter(([name]) => !isCompressed(name));
  return new Map(
    plain.map(([name, body]) => {
      const found = Object.entries(encodings).flatMap(([encoding, end]) => {
        const file = files.get(name + end);
        return file === undefined ? [] : [[encoding, file] as const];
      });
      return [name, { body, type: extname(name), compressed: new Map(found) }];
    }),
  );
}

function chooseEncoding(request: Request, offered: readonly string[]): string {
  // As with languages: sorting a long list takes time, and no browser comes near this length.
  if (String(request.headers["accept-encoding"] ?? "").length > 1_000) return "identity";
  // Browsers list gzip before br; Express would go by that.
  return offered.find((encoding) => request.acceptsEncodings(encoding) === encoding) ?? "identity";
}
