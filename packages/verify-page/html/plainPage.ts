import { createHash } from "node:crypto";
import { isLanguage, type Language, languages } from "@hardhat-identity/protocol/languages";
import type { Request, Response } from "express";
import { markUrl } from "../content/mark.ts";
import { type Accent, accentStyle } from "./accent.ts";
import { css, type Html, html } from "./html.ts";
import { typefaceHint, typefaceStyle } from "./typeface.ts";

/** A page without scripts, in the clothes of the verify page. */
export interface PlainPage {
  /** By default the page is in English alone, and offers no other language. */
  readonly language?: Language;
  /** The query of the page's address, which a change of the language keeps. */
  readonly query?: string | undefined;
  readonly title: string;
  /** A sentence about the page, which search engines show. */
  readonly about?: string;
  /** The service or site that the page belongs to, in a few words, for the header. */
  readonly where: string;
  /** The operator's host. */
  readonly host: string;
  /** In place of the service's mark. */
  readonly mark?: Html | undefined;
  /** The operator's face, in place of ours. */
  readonly brand?: PageBrand | undefined;
  readonly body: Html;
  /** Small print below the body. */
  readonly footer?: Html | undefined;
  /** Where the page's server has the typeface: an address that ends with a slash. Without it, the page has the system's font. */
  readonly typeface?: string | undefined;
  /** Styles for this page alone. */
  readonly style?: string | undefined;
  /** Where forms may lead, as a Content-Security-Policy names it; nowhere by default. */
  readonly formAction?: string | undefined;
}

export interface PageBrand {
  /** Shown in place of `where`. */
  readonly name: string;
  readonly logoUrl?: string | undefined;
  readonly accent?: Accent | undefined;
}

/** The language that the person chose on the page (`?language=`), or else the first that there is of the browser's. */
export function languageOf(request: Request): Language {
  if (isLanguage(request.query.language)) return request.query.language;
  // Sorting what a client wishes takes the longer the more it is; no browser comes near to this.
  if ((request.headers["accept-language"] ?? "").length > 1_000) return "en";
  const wished = request.acceptsLanguages(...Object.keys(languages));
  return isLanguage(wished) ? wished : "en";
}

/** Sends a page, which runs nothing, loads nothing of others, and is framed nowhere. */
export function sendPlainPage(response: Response, page: PlainPage): void {
  const { brand } = page;
  const type = page.typeface === undefined ? "" : typefaceStyle(page.typeface);
  const accent = brand?.accent ? accentStyle(brand.accent) : "";
  const style = `${type}${readable(frame)}${page.style ?? ""}${accent}`;
  const headers = {
    "Content-Security-Policy": [
      "default-src 'none'",
      `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      `img-src data:${brand?.logoUrl ? " 'self'" : ""}`,
      ...(type === "" ? [] : ["font-src 'self'"]),
      // Browsers read robots.txt by the page's own rules.
      ...(page.about === undefined ? [] : ["connect-src 'self'"]),
      "base-uri 'none'",
      `form-action ${page.formAction ?? "'none'"}`,
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  };
  if (page.language !== undefined) response.vary("Accept-Language");
  response.set(headers).type("html").send(render(page, style));
}

const ownMark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect class="wallet" x="2" y="4" width="20" height="16" rx="3.5"/><rect class="wallet" x="10" y="12" width="20" height="16" rx="3.5"/><circle cx="16" cy="16" r="2.6"/></svg>`;

function render(
  { language, title, about, where, host, brand, body, footer, ...page }: PlainPage,
  style: string,
): string {
  const { name = where, logoUrl } = brand ?? {};
  const logo = logoUrl && html`<img class="mark" src="${logoUrl}" alt="">`;
  const mark = page.mark ?? (logo || ownMark);
  const head = html`<!doctype html>
<html lang="${language ?? "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${about && html`<meta name="description" content="${about}">`}
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#1d2125" media="(prefers-color-scheme: dark)">
${page.typeface === undefined ? undefined : typefaceHint(page.typeface)}
${logoUrl ? html`<link rel="icon" href="${logoUrl}">` : html`<link rel="icon" type="image/svg+xml" href="${markUrl}">`}
`;
  // A style sheet is neither text nor markup: its hash is that of what stands here.
  const rest = html`</head>
<body>
<header><div>
${mark}
<p><b>${name}</b><span class="host">${host}</span></p>
${language && renderChoice(language, page.query)}
</div></header>
<main>
${body}
</main>
${footer && html`<footer><div>${footer}</div></footer>`}
</body>
</html>
`;
  return `${head.text}<style>${style}</style>\n${rest.text}`;
}

function renderChoice(language: Language, query = ""): Html {
  const hrefOf = (code: string) => {
    const kept = new URLSearchParams(query);
    kept.set("language", code);
    return `?${kept}`;
  };
  const others = Object.entries(languages).filter(([code]) => code !== language);
  return html`<details class="language"><summary>${languages[language]}</summary><nav>${others.map(([code, name]) => html`<a href="${hrefOf(code)}" lang="${code}" hreflang="${code}">${name}</a>`)}</nav></details>`;
}

/** Writes `light-dark()` as the older of the supported browsers read it (packages/protocol/browsers.ts). */
function readable(style: string): string {
  const dark = [...style.matchAll(/(--[\w-]+): light-dark\(#\w+, (#\w+)\)/g)];
  const declarations = dark.map(([, name, colour]) => `${name}: ${colour};`).join(" ");
  const light = style.replace(/light-dark\((#\w+), #\w+\)/g, "$1");
  return css`${light}@media (prefers-color-scheme: dark) { :root { ${declarations} } }`;
}

// The same colours and measures as packages/verify-page/shared/base.css and frame.css.
const frame = css`
:root { color-scheme: light dark; font: 100%/1.55 var(--typeface, system-ui, sans-serif);
  --text: light-dark(#1c2126, #e7eaed); --quiet: light-dark(#555f6a, #a4aeb8); --page: light-dark(#fbfbfa, #15181b);
  --card: light-dark(#ffffff, #1d2125); --line: light-dark(#d8dcdf, #363c43); --edge: light-dark(#868f98, #6f7983);
  --accent: light-dark(#1f5fa8, #8ab8ee); --on-accent: light-dark(#ffffff, #10202f); --bad: light-dark(#a02c22, #f2a198); }
* { box-sizing: border-box; }
body { display: flex; flex-direction: column; min-height: 100svh; margin: 0; background: var(--page);
  color: var(--text); overflow-wrap: break-word; }
header, footer { border: 0 solid var(--line); }
header { background: var(--card); border-bottom-width: 1px; }
footer { border-top-width: 1px; color: var(--quiet); font-size: .88rem; }
header div, main, footer div { width: 100%; max-width: 36rem; margin: 0 auto; padding: .6rem 1rem; }
header div { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; }
header p { flex: 1 1 5rem; min-width: 0; margin: 0; line-height: 1.3; }
.host { display: block; color: var(--quiet); font-size: .85rem; }
.mark { flex: none; width: 2rem; height: 2rem; object-fit: contain; fill: var(--accent); }
img.mark { width: auto; min-width: 2rem; max-width: clamp(2rem, 22vw, 8rem); }
.mark .wallet { fill: none; stroke: var(--accent); stroke-width: 2.5; }
.language { position: relative; font-size: .9rem; }
.language summary, .language nav { min-width: 6.5rem; border: 1px solid var(--line); border-radius: .6rem; }
.language summary, .language a { display: block; padding: .6rem .75rem; color: var(--text); cursor: pointer;
  text-decoration: none; }
.language summary::-webkit-details-marker { display: none; }
.language summary::after { content: ""; float: right; width: .4rem; height: .4rem; margin: .35rem 0 0 .75rem;
  border: solid; border-width: 0 2px 2px 0; rotate: 45deg; }
.language nav { position: absolute; z-index: 1; inset: calc(100% + .25rem) 0 auto; background: var(--card); }
.language summary:hover, .language a:hover { color: var(--accent); }
main { flex: 1; padding-block: 1.5rem 3rem; }
footer div { padding-block: .75rem 1.5rem; }
footer a { display: inline-block; padding: .35rem 0; margin-right: 1.25rem; color: inherit; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; text-wrap: balance; }
p { margin: 0 0 1rem; }
a { color: var(--accent); }
button, .button { display: inline-block; font: inherit; font-weight: 600; min-height: 2.75rem; padding: .55rem 1.25rem;
  cursor: pointer; border: 1px solid var(--accent); border-radius: .6rem; background: var(--accent);
  color: var(--on-accent); text-align: center; text-decoration: none; }
button.quiet { background: none; border-color: var(--edge); color: var(--accent); }
button:hover, .button:hover { background: color-mix(in srgb, var(--accent) 85%, var(--text)); }
button.quiet:hover { background: color-mix(in srgb, var(--accent) 10%, transparent); }
button:active, .button:active { transform: translateY(1px); }
a:hover { text-decoration-thickness: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { button, .button { width: 100%; } }
/* A phone whose text is twice as large. */
@media (max-width: 14rem) { button, .button { padding-inline: .5rem; overflow-wrap: anywhere; } }
@media (forced-colors: active) {
  :is(button, .button):not(.quiet) { forced-color-adjust: none; border-color: ButtonText; background: ButtonText;
    color: ButtonFace; }
}
`;
