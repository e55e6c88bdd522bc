import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestHandler } from "express";
import { type Html, html } from "./html.ts";

const read = (name: string) => readFileSync(new URL(`./typeface/${name}`, import.meta.url));

const body = read("figtree.woff2");

/** The file's name, which is another one for another content: browsers keep it for a year. */
export const typefaceFile = `typeface-${createHash("sha256").update(body).digest("hex").slice(0, 8)}.woff2`;

const rules = read("typeface.css")
  .toString()
  .replaceAll(/\/\*.*?\*\//gs, "")
  .replaceAll(/\s+/g, " ")
  .trim();

/**
 * The style of the typeface, and of the system's fonts that have its measures until it is there.
 *
 * @param folder Where the page's server has it: an address that ends with a slash, or nothing.
 */
export const typefaceStyle = (folder: string): string =>
  rules.replace("./figtree.woff2", () => `${folder}${typefaceFile}`);

/** A hint to load it at once, for a page's head. */
export const typefaceHint = (folder: string): Html =>
  html`<link rel="preload" href="${folder}${typefaceFile}" as="font" type="font/woff2" crossorigin>`;

/** The hint and the style, for a page's head. */
export const typefaceHead = (folder: string): string =>
  `${typefaceHint(folder).text}<style>${typefaceStyle(folder)}</style>`;

/** Sends the typeface. A page of another release may ask for another file: without it, it keeps the system's font. */
export const sendTypeface: RequestHandler = (_request, response) => {
  response.set("Cache-Control", "public, max-age=31536000, immutable").type("font/woff2").send(body);
};
