import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express from "express";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { DemoConfig, OwnConsumer } from "../demo/config.ts";

/** A demo that is being served. */
export interface RunningDemo {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the demo app on loopback, at an origin of its own, as any app has one.
 *
 * @param options.listOwn Asked, whenever the page is loaded, which consumers the project has.
 * @param options.bundle Folder of the demo's bundle; see `findBundles`.
 * @param options.port Port to listen on; any free one when 0.
 * @throws InvalidInputError when the port is taken.
 */
export async function serveDemo(options: {
  config: DemoConfig;
  listOwn?: () => readonly OwnConsumer[];
  bundle: string;
  port: number;
}): Promise<RunningDemo> {
  const { config, listOwn = () => [], bundle, port } = options;
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
  app.get("/config.json", (_request, response) => {
    response.json({ ...config, own: listOwn() });
  });
  app.get("/", (_request, response) =>
    response.sendFile(join(bundle, "index.html"), { cacheControl: false }),
  );
  app.use(
    "/assets",
    express.static(join(bundle, "assets"), { index: false, redirect: false, cacheControl: false }),
  );
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
