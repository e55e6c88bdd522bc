import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Request, Response } from "express";

/** A page whose script and styles are in its document. */
export interface BuiltPage {
  /** The page's own scripts and styles, as a Content-Security-Policy names them. */
  readonly scripts: string;
  readonly styles: string;
  /** Sends the page, compressed if the browser accepts that. */
  send(request: Request, response: Response): void;
}

/** Documents that were compressed already: most services of a process have the same page. */
const compressed = new Map<string, Copies>();

/** Prepares a page, so that no request reads a file or compresses anything. */
export function builtPage(document: string): BuiltPage {
  const plain = Buffer.from(document);
  const copies = compressed.get(document) ?? compress(plain);
  compressed.set(document, copies);
  return {
    scripts: hashes(document, /<script type="module">(.*?)<\/script>/gs),
    styles: hashes(document, /<style>(.*?)<\/style>/gs),
    send(request, response) {
      response.vary("Accept-Encoding").type("html");
      const coding = chooseCoding(request);
      if (coding !== undefined) response.setHeader("Content-Encoding", coding);
      response.send(coding === undefined ? plain : copies[coding]);
    },
  };
}

type Copies = Readonly<Record<"br" | "gzip", Buffer>>;

function compress(plain: Buffer): Copies {
  // One less is a twentieth larger; one more takes twice as long at each start, for a sixtieth of the size.
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  // Smaller blocks suit a document of markup, styles, a script and texts in two languages.
  const gzip = gzipSync(plain, { level: 9, memLevel: 6 });
  return { br: brotliCompressSync(plain, quality), gzip };
}

function hashes(document: string, element: RegExp): string {
  const contents = [...document.matchAll(element)].map(([, content = ""]) => content);
  return contents
    .map((content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`)
    .join(" ");
}

function chooseCoding(request: Request): keyof Copies | undefined {
  // As with languages: sorting a long list takes time, and no browser comes near this length.
  if (String(request.headers["accept-encoding"] ?? "").length > 1_000) return undefined;
  // Browsers list gzip before br; Express would go by that.
  return (["br", "gzip"] as const).find((coding) => request.acceptsEncodings(coding) === coding);
}
