import { endpoint, verifyRoute } from "@hardhat-identity/signer/pages";
import { Router } from "express";
import { markUrl } from "../content/mark.ts";
import { accentStyle } from "../html/accent.ts";
import type { Brand } from "../html/brand.ts";
import { html } from "../html/html.ts";
import type { PageBrand } from "../html/plainPage.ts";
import { typefaceHead } from "../html/typeface.ts";

/** Where the operator's logo and colour are; below the verify page's path, so that a proxy that passes it passes these. */
const paths = { logo: "/brand/logo", style: "/brand/style.css" };

/**
 * The operator's face for a page without scripts.
 *
 * @param verifyUrl The verify page's path at this service.
 */
export const pageBrand = ({ name, logo, accent }: Brand, verifyUrl: string): PageBrand => ({
  name,
  accent,
  logoUrl: logo && `${verifyUrl}${paths.logo}`,
});

/**
 * Fills the placeholders of the verify page's document: with the typeface, and with the operator's face, which the page's
 * script reads from it, or else with the mark of the project.
 *
 * @throws Error if the document lacks a placeholder.
 */
export function brandDocument(document: string, brand: Brand | undefined): string {
  const write = (text: string) => html`${text}`.text;
  const logo = brand?.logo && `verify${paths.logo}`;
  const head = [
    logo ? `<link rel="icon" href="${logo}">` : `<link rel="icon" type="image/svg+xml" href="${markUrl}">`,
    brand && `<meta name="brand" content="${write(brand.name)}">`,
  ];
  const style = brand?.accent && `<link rel="stylesheet" href="verify${paths.style}">`;
  const parts = {
    "<!--typeface-->": typefaceHead("verify/"),
    "<!--brand:head-->": head.filter(Boolean).join(""),
    "<!--brand:style-->": style ?? "",
    "<!--brand:mark-->": logo
      ? `<img class="mark own" src="${logo}" alt="">`
      : `<img class="mark" src="${markUrl}" alt="">`,
  };
  let filled = document;
  for (const [placeholder, part] of Object.entries(parts)) {
    if (!filled.includes(placeholder)) throw new Error(`The verify page's document lacks ${placeholder}.`);
    filled = filled.replace(placeholder, () => part);
  }
  return filled;
}

/** Serves the operator's logo and accent colour. A logo runs nothing, even if somebody opens it by itself. */
export function brandFiles(brand: Brand | undefined): Router {
  const router = Router({ caseSensitive: true });
  const serve = (path: string, type: string, body: Buffer | string) => {
    const headers = {
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
      "Cache-Control": "public, max-age=300",
    };
    router.use(
      endpoint(path, "get", (_request, response) => void response.set(headers).type(type).send(body)),
    );
  };
  if (brand?.logo) serve(`${verifyRoute}${paths.logo}`, brand.logo.type, brand.logo.body);
  if (brand?.accent) serve(`${verifyRoute}${paths.style}`, "text/css", accentStyle(brand.accent));
  return router;
}
