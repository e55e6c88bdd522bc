import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import express, { Router } from "express";
import { findVerifyPage } from "./bundle.ts";
import type { Brand } from "./html/brand.ts";
import { html } from "./html/html.ts";
import { sendPlainPage } from "./html/plainPage.ts";
import { type DiscardAnswer, type Overview, returnAddress, returnErrors } from "./messages.ts";
import { brandFiles } from "./server/brand.ts";
import { frontPage } from "./server/frontPage.ts";
import { verifyHeaders } from "./server/guards.ts";
import { page } from "./server/page.ts";
import { readBrand } from "./server/readBrand.ts";
import { typeface } from "./server/typeface.ts";

/**
 * Serves the pages that people see on loopback, with a brand as its file is at each request. The verify page asks whether
 * to store a made-up account, and stores nothing.
 *
 * @param file As `IDENTITY_BRAND` names it.
 * @param port Port to listen on; any free one when 0.
 * @throws InvalidInputError if the brand is not valid, or the port is taken.
 */
export async function previewBrand(
  file: string,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  read(file);
  const bundle = await findVerifyPage();
  const app = express().disable("x-powered-by").disable("etag");
  app.use((request, response, next) => {
    // As the browser names it: somebody may look from another machine, through a tunnel.
    const origin = `http://${request.headers.host}`;
    try {
      pagesWith(read(file), origin, bundle)(request, response, next);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      const title = "The brand is not valid";
      sendPlainPage(response.status(500), {
        title,
        where: "Preview of a brand",
        host: new URL(origin).host,
        body: html`<h1>${title}</h1><p>${error.message}</p><p>Correct the file, then load this page again.</p>`,
      });
    }
  });
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  }).catch((error: unknown) => {
    throw new InvalidInputError(
      `The preview cannot listen on port ${port} (${systemErrorCode(error)}). Pass another one as --port.`,
    );
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @throws InvalidInputError that names the file. */
function read(file: string): Brand {
  try {
    return readBrand(file);
  } catch (error) {
    throw new InvalidInputError(`${file} must be ${(error as Error).message}.`);
  }
}

/** The verify page as it is after a sign-in at a provider, the front page, and the page for an unknown path. */
function pagesWith(brand: Brand, origin: string, bundle: string): Router {
  const config = { brand, redirectOrigins: [], otherRedirects: "refuse", rpcUrl: origin } as const;
  const shown = { config, publicUrl: origin, verifyUrl: `${origin}/verify` };
  const router = Router({ caseSensitive: true });
  router.use(verifyHeaders(shown), typeface(), brandFiles(brand));
  router.get("/verify/overview", (_request, response) => void response.json(madeUpOverview(brand, origin)));
  router.post("/verify/discard", (_request, response) => {
    response.json({ stored: false } satisfies DiscardAnswer);
  });
  router.post(["/verify/keep", "/verify/sign-out"], (_request, response) => void response.status(204).end());
  // Compressing the page takes a moment, which its other requests need not wait for.
  router.get("/verify", (request, response, next) => {
    const service = { ...shown, bundle, providers: { clients: {} }, development: false };
    page({ service })(request, response, next);
  });
  router.use(frontPage(shown));
  return router;
}

/** Somebody whom an app sent, and who has just signed in at a provider. The way back to the app is the front page. */
function madeUpOverview({ privacyUrl }: Brand, origin: string): Overview {
  const home = `${origin}/`;
  const errors = Object.fromEntries(returnErrors.map((error) => [error, home]));
  return {
    pageUrl: `${origin}/verify`,
    chainId: 1,
    ...(privacyUrl && { privacyUrl }),
    providers: [{ name: "microblog", label: "X", asked: true }],
    returnTo: returnAddress.parse({
      kind: "trusted",
      origin,
      name: "Your app",
      url: home,
      success: home,
      errors,
    }),
    since: 0,
    wallet: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    accounts: [],
    proof: {
      id: "preview",
      step: "proven",
      provider: "microblog",
      label: "X",
      accountName: "Alice",
      traits: { followers: "1200", verified: "true" },
      authenticatedAt: Math.floor(Date.now() / 1000),
      replaces: false,
      dropped: [],
    },
  };
}
