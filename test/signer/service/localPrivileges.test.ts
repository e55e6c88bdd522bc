import { expect } from "chai";
import { development } from "../../../packages/protocol/development.ts";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { ownSecrets } from "../../fixtures/signer/stack.ts";

const own = ownSecrets();

const sandbox = {
  IDENTITY_MICROBLOG_CLIENT_ID: "client",
  IDENTITY_MICROBLOG_CLIENT_SECRET: "hush",
  IDENTITY_MICROBLOG_BASE_URL: "http://127.0.0.1:1",
};

/** The refusal of an address on plain http. */
const plain = (variable: string, url: string) => ({
  name: "InvalidInputError",
  message: `The service's URL ${url} uses plain http, which is allowed only on loopback, or with development secrets on a local node. Set ${variable} to an https URL, and serve https by a proxy in front of the service.`,
});

describe("A node that says that it is a local one", () => {
  let node: { IDENTITY_RPC_URL: string; IDENTITY_REGISTRY: string };

  before(async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const { url } = await serveProxy(rpcUrl);
    node = { IDENTITY_RPC_URL: `${url}/rpc-key`, IDENTITY_REGISTRY: await registry.getAddress() };
  });

  const start = (env: Record<string, string>) => startTestSigner({ ...node, ...env });

  /** Everything that strangers are told of a service. */
  async function told({ port }: { port: number }, query = "") {
    const url = `http://127.0.0.1:${port}`;
    const overview = await fetch(`${url}/verify/overview${query}`);
    const discovery = await fetch(`${url}/.well-known/onchain-verifications`);
    const headers = [...overview.headers].map((header) => header.join(": "));
    return {
      status: overview.status,
      text: [await overview.text(), await discovery.text(), ...headers].join("\n"),
    };
  }

  const app = `?redirect_uri=${encodeURIComponent("http://localhost:5173/")}`;

  it("is believed while every secret in use is one that everybody knows", async () => {
    for (const env of [
      {},
      {
        IDENTITY_SIGNING_KEY: development.signingKey,
        IDENTITY_MASTER_SECRET: development.masterSecret.toUpperCase().replace("X", "x"),
      },
    ]) {
      const service = await start({ ...env, ...sandbox, IDENTITY_PUBLIC_URL: "http://stack.example" });
      const { text } = await told(service);
      expect(text).to.include("rpc-key").and.include(new URL(node.IDENTITY_RPC_URL).origin);
      expect((await told(service, app)).status).to.equal(200);
    }
  });

  describe("to a service with secrets of its own", () => {
    it("neither tells strangers its node's URL, nor returns people to apps on loopback", async () => {
      const service = await start(own);
      const { status, text } = await told(service);
      expect(status).to.equal(200);
      expect(text).not.to.include("rpc-key");
      expect(text).not.to.include(new URL(node.IDENTITY_RPC_URL).origin);
      expect((await told(service, app)).status).to.equal(400);
    });

    it("makes no provider on plain http acceptable", async () => {
      expect(await rejection(start({ ...own, ...sandbox }))).to.include({
        name: "InvalidInputError",
        message:
          "IDENTITY_MICROBLOG_BASE_URL uses plain http, as the sandbox does. That needs a local node and development secrets, but the node (IDENTITY_RPC_URL) is not local or does not answer, or a secret of your own is set.",
      });
    });

    it("makes no plain http acceptable to browsers", async () => {
      const url = "http://identity.example";
      expect(await rejection(start({ ...own, IDENTITY_PUBLIC_URL: url }))).to.include(
        plain("IDENTITY_PUBLIC_URL", url),
      );
    });
  });
});

describe("The address by which browsers reach a service on a chain that is not local", () => {
  let node: { IDENTITY_RPC_URL: string; IDENTITY_REGISTRY: string };

  before(async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const { url } = await serveProxy(rpcUrl, hideLocalNode);
    node = { IDENTITY_RPC_URL: url, IDENTITY_REGISTRY: await registry.getAddress() };
  });

  const start = (env: Record<string, string>) => startTestSigner({ ...node, ...own, ...env });

  const url = "http://identity.example";
  for (const [variable, given, env] of [
    ["IDENTITY_PUBLIC_URL", url, {}],
    ["IDENTITY_PUBLIC_URL", "http://localhost.example", {}],
    ["IDENTITY_PUBLIC_URL", "http://192.0.2.1:3000", { IDENTITY_VERIFY_URL: "https://id.example/verify" }],
    ["IDENTITY_VERIFY_URL", `${url}/verify`, { IDENTITY_PUBLIC_URL: "https://identity.example" }],
    // Listening to everybody, and not saying where everybody finds it.
    ["IDENTITY_PUBLIC_URL", "http://0.0.0.0:0", { IDENTITY_HOST: "0.0.0.0" }],
  ] as const) {
    it(`is not on plain http: ${variable}=${given} is refused`, async () => {
      const set = "IDENTITY_HOST" in env ? env : { ...env, [variable]: given };
      expect(await rejection(start(set))).to.include(plain(variable, given));
    });
  }

  for (const env of [
    {},
    { IDENTITY_PUBLIC_URL: "http://localhost:3000" },
    { IDENTITY_PUBLIC_URL: "https://identity.example", IDENTITY_HOST: "0.0.0.0" },
  ]) {
    it(`is on https or on loopback: ${JSON.stringify(env)} is taken`, async () => {
      const { url } = await start(env);
      expect(url).to.equal(env.IDENTITY_PUBLIC_URL ?? url);
    });
  }
});
