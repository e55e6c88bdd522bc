import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { loadConfig } from "../../../signer/index.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const required = { IDENTITY_RPC_URL: "http://127.0.0.1:8545", IDENTITY_REGISTRY: registry };

describe("Configuring providers", () => {
  const load = (env: Record<string, string>) => loadConfig({ ...required, ...env });
  const problem = (env: Record<string, string>): string => {
    try {
      load(env);
    } catch (error) {
      if (error instanceof InvalidInputError) return error.message;
      throw error;
    }
    throw new Error("The configuration was taken.");
  };

  it("offers none when none is configured", () => {
    expect(load({}).providers).to.deep.equal({});
  });

  it("offers those that have a client, the secret from the environment or a file", async () => {
    const file = join(await temporaryFolder(), "secret");
    await writeFile(file, "from-file\n", { mode: 0o600 });
    const { providers } = load({
      IDENTITY_MICROBLOG_CLIENT_ID: "m",
      IDENTITY_MICROBLOG_CLIENT_SECRET: "from-environment",
      IDENTITY_SHORT_VIDEO_CLIENT_ID: "s",
      IDENTITY_SHORT_VIDEO_CLIENT_SECRET_FILE: file,
      IDENTITY_SHORT_VIDEO_BASE_URL: "https://gateway.example/short/",
      IDENTITY_SHORT_VIDEO_LABEL: "Shorts",
    });
    expect(providers).to.deep.equal({
      microblog: { clientId: "m", clientSecret: "from-environment", baseUrl: undefined, label: undefined },
      short_video: {
        clientId: "s",
        clientSecret: "from-file",
        baseUrl: "https://gateway.example/short",
        label: "Shorts",
      },
    });
  });

  it("names every variable that is wrong, and shows no secret", async () => {
    const empty = join(await temporaryFolder(), "empty");
    await writeFile(empty, "", { mode: 0o600 });
    const client = { IDENTITY_MICROBLOG_CLIENT_ID: "m", IDENTITY_MICROBLOG_CLIENT_SECRET: "hush" };
    expect(problem({ IDENTITY_MICROBLOG_CLIENT_SECRET: "hush" })).to.include(
      "IDENTITY_MICROBLOG_CLIENT_SECRET is set, but IDENTITY_MICROBLOG_CLIENT_ID is not",
    );
    expect(problem({ IDENTITY_MICROBLOG_CLIENT_ID: "m" })).to.include(
      "Neither of IDENTITY_MICROBLOG_CLIENT_SECRET and IDENTITY_MICROBLOG_CLIENT_SECRET_FILE",
    );
    const both = problem({ ...client, IDENTITY_MICROBLOG_CLIENT_SECRET_FILE: empty });
    expect(both).to.include("Both of IDENTITY_MICROBLOG_CLIENT_SECRET").and.not.include("hush");
    const file = { IDENTITY_MICROBLOG_CLIENT_ID: "m", IDENTITY_MICROBLOG_CLIENT_SECRET_FILE: empty };
    expect(problem(file)).to.include("names an empty file");
    file.IDENTITY_MICROBLOG_CLIENT_SECRET_FILE = join(empty, "none");
    expect(problem(file)).to.match(/cannot be read \(ENO\w+\)/);
    for (const url of ["http://gateway.example", "ftp://x", "https://a:b@x.example", "https://x.example?a"]) {
      expect(problem({ ...client, IDENTITY_MICROBLOG_BASE_URL: url })).to.include(
        "IDENTITY_MICROBLOG_BASE_URL",
      );
    }
    expect(problem({ IDENTITY_EXCHANGE_CLIENT_ID: "e", IDENTITY_EXCHANGE_CLIENT_SECRET: "hush" })).to.include(
      "IDENTITY_EXCHANGE_BASE_URL is not set",
    );
  });

  it("takes as apps' origins what is one, and nothing more", () => {
    const origins = "https://app.example, https://other.example:8443,http://localhost:5173";
    expect(load({ IDENTITY_REDIRECT_ORIGINS: origins }).redirectOrigins).to.deep.equal([
      "https://app.example",
      "https://other.example:8443",
      "http://localhost:5173",
    ]);
    for (const wrong of [
      "app.example",
      "https://app.example/",
      "http://app.example",
      "*",
      "https://*.x.example",
    ]) {
      expect(problem({ IDENTITY_REDIRECT_ORIGINS: wrong }), wrong).to.include("IDENTITY_REDIRECT_ORIGINS");
    }
    expect(problem({ IDENTITY_OTHER_REDIRECTS: "allow" })).to.include("IDENTITY_OTHER_REDIRECTS");
  });
});

describe("A signer for a chain that is not a local node", () => {
  /** A node that knows `eth_chainId` alone. */
  async function fixture() {
    const { url } = await serveHttp(async (request, response) => {
      const calls = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const answers = calls.map(({ id, method }: { id: number; method: string }) =>
        method === "eth_chainId"
          ? { jsonrpc: "2.0", id, result: "0x14a34" }
          : { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } },
      );
      response.setHeader("connection", "close").end(JSON.stringify(answers));
    });
    return {
      IDENTITY_RPC_URL: url,
      IDENTITY_REGISTRY: registry,
      IDENTITY_MASTER_SECRET: `0x${"11".repeat(32)}`,
      IDENTITY_SIGNING_KEY: `0x${"22".repeat(32)}`,
    };
  }

  it("refuses a provider on plain http", async () => {
    const error = await rejection(
      startTestSigner({
        ...(await fixture()),
        IDENTITY_MICROBLOG_CLIENT_ID: "m",
        IDENTITY_MICROBLOG_CLIENT_SECRET: "hush",
        IDENTITY_MICROBLOG_BASE_URL: "http://127.0.0.1:1",
      }),
    );
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.include("IDENTITY_MICROBLOG_BASE_URL is on plain http");
  });

  it("offers no development wallet, no node, and returns to no loopback address at once", async () => {
    const { url } = await startTestSigner(await fixture());
    const page = await fetch(`${url}/verify/overview`);
    expect(await page.json()).not.to.have.property("development");
    expect(page.headers.get("content-security-policy")).to.include("connect-src 'self';");
    const asked = `redirect_uri=${encodeURIComponent("http://127.0.0.1:5173/")}`;
    expect((await fetch(`${url}/verify/overview?${asked}`)).status).to.equal(400);
  });
});
