import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { builtPage } from "@hardhat-identity/verify-page/html/builtPage";
import { html } from "@hardhat-identity/verify-page/html/html";
import { sendPlainPage } from "@hardhat-identity/verify-page/html/plainPage";
import { sendTypeface, typefaceFile, typefaceHead } from "@hardhat-identity/verify-page/html/typeface";
import express, { type Request, type Response } from "express";
import { forwardingCommand, listenOnLoopback } from "hardhat-identity/internal/stack/ports";
import type { DemoConfig, OwnConsumer, ServedConfig } from "../demo/config.ts";

/**
 * Serves the demo app on loopback at its own origin, like any app.
 *
 * @param options.prepare Called and awaited before the page gets its configuration.
 * @param options.listOwn Lists the project's consumers, whenever the page is loaded.
 * @param options.bundle Folder of the demo's bundle; see `findDemo`.
 * @param options.port Port to listen on; any free one when 0.
 */
export async function serveDemo(options: {
  config: DemoConfig;
  prepare?: () => Promise<unknown>;
  listOwn?: () => readonly OwnConsumer[];
  bundle: string;
  port: number;
}) {
  const { config, prepare, listOwn = () => [], bundle, port } = options;
  const places = [config.rpcUrl, config.signerUrl, config.sandboxUrl];
  const document = readFileSync(join(bundle, "index.html"), "utf8");
  const page = builtPage(document.replace("<!--typeface-->", () => typefaceHead("")));
  const app = express().disable("x-powered-by").disable("etag");
  app.use((_request, response, next) => {
    response.set({
      "Content-Security-Policy": [
        "default-src 'none'",
        `script-src ${page.scripts}`,
        `style-src ${page.styles}`,
        "font-src 'self'",
        "img-src 'self' data:",
        `connect-src 'self' ${places.map((url) => new URL(url).origin).join(" ")}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    });
    next();
  });
  app.get("/config.json", async (request, response) => {
    await prepare?.();
    const forwarding = forwardingCommand([...places, demoUrl]);
    const answer: ServedConfig = { ...config, own: listOwn(), demoUrl, forwarding };
    sendJson(request, response, answer);
  });
  app.get(`/${typefaceFile}`, sendTypeface);
  app.get("/", (request, response) => page.send(request, response));
  app.use((request, response) => sendNotFound(request, response.status(404)));
  const served = await listenOnLoopback(createServer(app), port).catch((error) => {
    throw new InvalidInputError(`The demo cannot listen on port ${port} (${error.code}).`, { cause: error });
  });
  const demoUrl = served.url;
  return served;
}

/** Compresses: most of it is contract code. */
function sendJson(request: Request, response: Response, value: object): void {
  const body = JSON.stringify(value);
  response.vary("Accept-Encoding").type("json");
  if (request.acceptsEncodings("gzip", "identity") !== "gzip") return void response.send(body);
  response.setHeader("Content-Encoding", "gzip");
  response.send(gzipSync(body));
}

function sendNotFound(request: Request, response: Response): void {
  const title = "Page not found";
  sendPlainPage(response, {
    title,
    where: "hardhat-identity demo",
    host: request.headers.host ?? "",
    typeface: "/",
    body: html`<h1>${title}</h1><p>Check the address, or start from the demo.</p><p><a class="button" href="/">Go to the demo</a></p>`,
  });
}
