import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import express, { type Request, type Response } from "express";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { assets } from "../../../signer/pages/assets.ts";
import { html } from "../../../signer/pages/html.ts";
import { languageOf, sendPlainPage } from "../../../signer/pages/plainPage.ts";
import type { DemoConfig, OwnConsumer } from "../../../web/demo/config.ts";
import { notFoundTexts } from "../../../web/demo/texts/notFound.ts";

/** A demo that is being served. */
export interface RunningDemo {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the demo app on loopback at its own origin, like any app.
 *
 * @param options.prepare Called and awaited before the page gets its configuration.
 * @param options.listOwn Lists the project's consumers, whenever the page is loaded.
 * @param options.bundle Folder of the demo's bundle; see `findBundles`.
 * @param options.port Port to listen on; any free one when 0.
 * @throws InvalidInputError when the port is taken.
 */
export async function serveDemo(options: {
  config: DemoConfig;
  prepare?: () => Promise<unknown>;
  listOwn?: () => readonly OwnConsumer[];
  bundle: string;
  port: number;
}): Promise<RunningDemo> {
  const { config, prepare, listOwn = () => [], bundle, port } = options;
  const app = express().disable("x-powered-by").disable("etag");
  app.use((_request, response, next) => {
    response.set({
      "Content-Security-Policy": [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        `connect-src 'self' ${new URL(config.rpcUrl).origin} ${new URL(config.signerUrl).origin}`,
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
    sendJson(request, response, { ...config, own: listOwn() });
  });
  app.get("/", (_request, response) =>
    response.sendFile(join(bundle, "index.html"), { cacheControl: false }),
  );
  app.use("/assets", assets(join(bundle, "assets")));
  app.use((request, response) => sendNotFound(request, response.status(404)));
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new InvalidInputError(`The demo cannot listen on port ${port} (${error.code}).`, { cause: error }),
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
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
  const language = languageOf(request);
  const texts = notFoundTexts[language];
  sendPlainPage(response, {
    ...{ language, where: texts.where, host: request.headers.host ?? "", title: texts.title },
    body: html`<h1>${texts.title}</h1><p>${texts.text}</p><p><a class="button" href="/">${texts.demo}</a></p>`,
  });
}
