import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import express, { type RequestHandler } from "express";
import { development } from "../../packages/protocol/development.ts";
import { loadPageConfig, verifyPage } from "../../packages/verify-page/index.ts";
import { loadConfig, openSigner } from "../../signer/index.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { rejection } from "../fixtures/rejection.ts";
import { requestVerification, signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { Visitor } from "../fixtures/signer/visitor.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const logger = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

/** An Express app with a page of its own, and the service at a path. */
async function serveApp(path: string, ...before: RequestHandler[]) {
  const app = express();
  for (const each of before) app.use(each);
  app.get("/", (_request, response) => void response.send("the app's own"));
  const server = createServer(app).listen(0, "127.0.0.1");
  onCleanup(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stack = await startStack();
  const environment = {
    IDENTITY_RPC_URL: stack.rpcUrl,
    IDENTITY_REGISTRY: stack.registry,
    IDENTITY_PUBLIC_URL: `${origin}${path}`,
    IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
  };
  const pages = await verifyPage(loadPageConfig(environment));
  const signer = await openSigner(loadConfig(environment), { pages, logger });
  onCleanup(() => signer.close());
  app.use(path, signer.handler);
  return { origin, stack, signer };
}

describe("The service in an Express app of somebody else's", () => {
  for (const path of ["/identity", "/"]) {
    it(`issues verifications and serves its page at ${path}, beside what the app has`, async () => {
      const { origin, stack, signer } = await serveApp(path);
      const url = `${origin}${path}`.replace(/\/$/, "");
      expect(signer.verifyUrl).to.equal(`${url}/verify`);
      expect(signer.signer).to.equal(development.signer);
      const { address, wallet, consumer } = await stack.participate();
      const { status, body } = await requestVerification(url, await signedRequest(wallet, address));
      expect(status, JSON.stringify(body)).to.equal(200);
      await stack.enroll(consumer, wallet, body);

      expect((await fetch(signer.verifyUrl)).status).to.equal(200);
      const visitor = new Visitor(url);
      await visitor.signIn();
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
      expect((await fetch(`${url}/nothing`)).status).to.equal(404);
      expect(await (await fetch(origin)).text()).to.equal("the app's own");
    });
  }

  it("answers behind a body parser that its app puts before it, and refuses", async () => {
    const { origin } = await serveApp("/identity", express.json());
    const response = await fetch(`${origin}/identity/v1/onchain_verifications`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(5_000),
    });
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    expect([response.status, code, detail]).to.deep.equal([
      500,
      "internal",
      "The app reads bodies before the service does. Mount the service before any body parser.",
    ]);
  });

  it("is refused without the URL at which clients reach it, and with a port for metrics, and leaves no store behind", async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const file = join(await temporaryFolder(), "identity.sqlite");
    const environment = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      IDENTITY_DATABASE_URL: `file:${file}`,
    };
    expect((await rejection(openSigner(loadConfig(environment), { logger }))).message).to.equal(
      "IDENTITY_PUBLIC_URL is not set; an app that mounts the service must say where clients reach it.",
    );
    for (const IDENTITY_METRICS_PORT of ["0", "9464"]) {
      const mounted = { ...environment, IDENTITY_PUBLIC_URL: "http://127.0.0.1:9", IDENTITY_METRICS_PORT };
      expect((await rejection(openSigner(loadConfig(mounted), { logger }))).message).to.equal(
        "IDENTITY_METRICS_PORT is set, but only a server of the service's own has that port; remove it: the app that mounts the service has its metrics at /metrics.",
      );
    }
    expect(existsSync(file)).to.equal(false);
  });
});
