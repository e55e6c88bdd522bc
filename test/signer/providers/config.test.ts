import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { loadConfig } from "../../../signer/index.ts";
import { openProviders } from "../../../signer/internal/providers/openProviders.ts";
import { connectors as builtIn } from "../../../signer/providers/connectors.ts";
import { readSnippets } from "../../fixtures/markdown.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const required = { IDENTITY_RPC_URL: "http://127.0.0.1:8545", IDENTITY_REGISTRY: registry };

const exchange = { IDENTITY_EXCHANGE_CLIENT_ID: "e", IDENTITY_EXCHANGE_CLIENT_SECRET: "hush" };

// cspell:ignore Endpiont
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

  it("offers providers with a client, whose secret is in the environment or a file", async () => {
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
    for (const url of [
      "http://x.example",
      "ftp://x",
      ...["a:b@x", "x?a", "x#a"].map((x) => `https://${x}`),
    ]) {
      const told = problem({ ...client, IDENTITY_MICROBLOG_BASE_URL: url });
      expect(told, url).to.include("IDENTITY_MICROBLOG_BASE_URL");
    }
    expect(problem(exchange)).to.include("IDENTITY_EXCHANGE_BASE_URL is not set");
  });

  it("corrects connectors by a module, as docs/providers.md shows", async () => {
    const file = join(await temporaryFolder(), "connectors.mjs");
    const snippet = readSnippets("docs/providers.md").find(({ text }) =>
      text.startsWith("// connectors.js\n"),
    );
    await writeFile(file, snippet?.text ?? "");
    const { clients, connectors } = await openProviders(load({ ...exchange, IDENTITY_CONNECTORS: file }), {
      microblog: { revocationEndpoint: undefined },
    });
    expect(Object.keys(clients)).to.deep.equal(["exchange"]);
    expect(connectors.short_video).to.deep.include({
      codeChallenge: "base64url",
      clientIdParameter: "client_key",
    });
    expect(connectors.exchange.issuer).to.equal("https://gateway.example");
    expect(connectors.microblog.revocationEndpoint).to.equal(undefined);
    expect(connectors.photo_social).to.equal(builtIn.photo_social);
  });

  it("names every mistake in the corrections", async () => {
    const folder = await temporaryFolder();
    let files = 0;
    const mistakesOf = async (text: string) => {
      const file = join(folder, `${++files}.mjs`);
      await writeFile(file, text);
      return (await rejection(openProviders(load({ IDENTITY_CONNECTORS: file })))).message;
    };
    const corrections = {
      myspace: {},
      microblog: {
        tokenUrl: "https://a.example",
        tokenEndpoint: "http://a.example/token",
        codeChallenge: "sha1",
        scopes: "users.read",
        calls: { me: "https://a.example/me" },
      },
      short_video: { errors: { reasons: { a: "b" } }, traits: { likes: ["user", "likes"] }, accountId: [] },
    };
    const mistakes = await mistakesOf(`export default ${JSON.stringify(corrections)}`);
    for (const mistake of [
      "myspace is not a provider; known are microblog",
      "microblog has an unknown field tokenUrl; known are label",
      'microblog.tokenEndpoint must be an https URL, or a path that begins with a slash, not "http://a.example/token"',
      'microblog.codeChallenge must be one of base64url, hex, none, not "sha1"',
      'microblog.scopes must be a list of texts, not "users.read"',
      "short_video.errors.reasons.a must be one of denied",
      "short_video.accountId must be a list of texts: the name of a call, then keys, not []",
    ]) {
      expect(mistakes).to.include(mistake);
    }
    const apart = {
      microblog: { calls: { me: "/me" } },
      short_video: { traits: { likes: ["user", "likes"] } },
    };
    expect(await mistakesOf(`export default ${JSON.stringify(apart)}`))
      .to.include("microblog: accountId is in the answer to user, which is not one of the calls (me)")
      .and.include("short_video: likes is not one of the provider's traits (follower_count");
    expect(await mistakesOf("export const connectors = {}")).to.include("has no default export");
    expect(await mistakesOf("export default 7")).to.include("must be an object of corrections");
    expect(await mistakesOf("export default {")).to.match(/cannot be loaded, .*: Unexpected /);
    const without = openProviders(load({ ...exchange, IDENTITY_CONNECTORS: join(folder, "none.mjs") }));
    expect((await rejection(without)).message).to.include("none.mjs");
    await writeFile(join(folder, "empty.mjs"), "export default {}");
    const nowhere = openProviders(load({ ...exchange, IDENTITY_CONNECTORS: join(folder, "empty.mjs") }));
    expect((await rejection(nowhere)).message).to.include("IDENTITY_EXCHANGE_BASE_URL is not set");
  });

  it("reads apps' origins, with names or without", () => {
    const origins = "https://app.example, https://other.example:8443= The Drop ,http://localhost:5173";
    expect(load({ IDENTITY_REDIRECT_ORIGINS: origins }).redirectOrigins).to.deep.equal([
      { origin: "https://app.example" },
      { origin: "https://other.example:8443", name: "The Drop" },
      { origin: "http://localhost:5173" },
    ]);
  });
});
