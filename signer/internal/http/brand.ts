import { Router } from "express";
import { accentStyle } from "../../pages/accent.ts";
import type { Brand } from "../../pages/brand.ts";
import { html } from "../../pages/html.ts";
import type { PageBrand } from "../../pages/plainPage.ts";
import { verifyRoute } from "../../pages/verifyRoute.ts";
import { endpoint } from "./endpoint.ts";

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

/** The verify page's document with the operator's face, which the page's script reads from it. */
export function brandDocument(document: string, { name, logo, accent }: Brand): string {
  const write = (text: string) => html`${text}`.text;
  const own = [
    `<meta name="brand" content="${write(name)}">`,
    ...(logo ? [`<link rel="icon" href="verify${paths.logo}">`] : []),
    ...(accent ? [`<link rel="stylesheet" href="verify${paths.style}">`] : []),
  ];
  const ofUs = logo ? document.replace(/<link rel="icon"[^>]*>/, "") : document;
  const mark = `<img class="mark own" src="verify${paths.logo}" alt="">`;
  const ofThem = logo ? ofUs.replace(/<img class="mark"[^>]*>/, mark) : ofUs;
  return ofThem.replace("</head>", () => `${own.join("")}</head>`);
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
