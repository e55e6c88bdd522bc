import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { connectors as builtIn } from "../../../packages/verify-page/connectors/connectors.ts";
import { loadPageConfig } from "../../../packages/verify-page/index.ts";
import { failureReasons } from "../../../packages/verify-page/messages.ts";
import { openProviders } from "../../../packages/verify-page/providers/openProviders.ts";
import { readSnippets } from "../../fixtures/markdown.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const exchange = { IDENTITY_EXCHANGE_CLIENT_ID: "e", IDENTITY_EXCHANGE_CLIENT_SECRET: "hush" };

// cspell:ignore Endpiont
describe("Configuring providers", () => {
  const problem = (env: Record<string, string>): string => {
    try {
      loadPageConfig(env);
    } catch (error) {
      if (error instanceof InvalidInputError) return error.message;
      throw error;
    }
    throw new Error("The configuration was taken.");
  };

  it("offers providers with a client, whose secret is in the environment or a file", async () => {
    const file = join(await temporaryFolder(), "secret");
    await writeFile(file, "from-file\n", { mode: 0o600 });
    const { providers } = loadPageConfig({
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
    const inFile = (file: string) => ({
      IDENTITY_MICROBLOG_CLIENT_ID: "m",
      IDENTITY_MICROBLOG_CLIENT_SECRET_FILE: file,
    });
    const secret = "IDENTITY_MICROBLOG_CLIENT_SECRET";
    const away = (name: string) => `${name} is set, but IDENTITY_MICROBLOG_CLIENT_ID is not.`;
    for (const [env, wanted] of [
      [{ [secret]: "hush" }, away(secret)],
      [{ IDENTITY_MICROBLOG_LABEL: "M" }, away("IDENTITY_MICROBLOG_LABEL")],
      [
        { IDENTITY_MICROBLOG_CLIENT_ID: "m" },
        `Neither ${secret} nor ${secret}_FILE is set; set one of them.`,
      ],
      ...(["CLIENT_ID", "CLIENT_SECRET", "LABEL"] as const).flatMap((ending) =>
        ['"hush"', "'hush'"].map((text): [Record<string, string>, string] => [
          { ...client, [`IDENTITY_MICROBLOG_${ending}`]: text },
          `IDENTITY_MICROBLOG_${ending} is in quotation marks, which are no part of it.`,
        ]),
      ),
      ...(["CLIENT_ID", "CLIENT_SECRET", "LABEL"] as const).flatMap((ending) =>
        ["hush\r", " hush", "hu\nsh"].map((text): [Record<string, string>, string] => [
          { ...client, [`IDENTITY_MICROBLOG_${ending}`]: text },
          `IDENTITY_MICROBLOG_${ending} begins or ends with white space, or has a control character, perhaps from a file with Windows' line ends.`,
        ]),
      ),
      [{ ...client, ...inFile(empty) }, `Both ${secret} and ${secret}_FILE are set; set one of them.`],
      [inFile(empty), `${secret}_FILE names an empty file.`],
      [
        inFile(`${empty}/none`),
        `${secret}_FILE names a file that cannot be read (ENOTDIR); set it to the file's path.`,
      ],
      ...[
        "http://x.example",
        "ftp://x",
        "x",
        "javascript:0",
        ...["a:b@x", "a@x", ":b@x", "x?a", "x#a"].map((x) => `https://${x}`),
      ].map(
        (url) =>
          [
            { ...client, IDENTITY_MICROBLOG_BASE_URL: url },
            `IDENTITY_MICROBLOG_BASE_URL must be an https URL (http on loopback) without query, not "${url}".`,
          ] as const,
      ),
      [exchange, "IDENTITY_EXCHANGE_BASE_URL is not set; this provider has no public address of its own."],
    ] as const)
      expect(problem(env)).to.equal(`The verify page's configuration is not valid:\n- ${wanted}`);
    const IDENTITY_EXCHANGE_BASE_URL = "http://127.0.0.1:5001//";
    expect(loadPageConfig({ ...exchange, IDENTITY_EXCHANGE_BASE_URL }).providers.exchange?.baseUrl).to.equal(
      "http://127.0.0.1:5001",
    );
  });

  it("corrects connectors by a module, as docs/providers.md shows", async () => {
    const file = join(await temporaryFolder(), "connectors.mjs");
    const snippet = readSnippets("docs/providers.md").find(({ text }) =>
      text.startsWith("// connectors.js\n"),
    );
    await writeFile(file, snippet?.text ?? "");
    const { clients, connectors } = await openProviders(
      loadPageConfig({ ...exchange, IDENTITY_CONNECTORS: file }),
      {
        microblog: { revocationEndpoint: undefined },
      },
    );
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
      const { message } = await rejection(openProviders(loadPageConfig({ IDENTITY_CONNECTORS: file })));
      return message.replaceAll(file, "<file>");
    };
    const notValid = (mistakes: readonly string[]) =>
      `IDENTITY_CONNECTORS (<file>) is not valid:\n${mistakes.map((mistake) => `- ${mistake}`).join("\n")}`;
    const endpoint = "an https URL, or a path that begins with a slash";
    const [texts, place] = ["a list of texts", "a list of texts: the name of a call, then keys"];
    const authentication = "one of client_secret_basic, client_secret_post";
    const someText = "a list of at least one text";
    // A value of each field that it must not have, and what it must be.
    const wrong: Record<string, readonly (readonly [unknown, string])[]> = {
      label: ["", 7, null].map((value) => [value, "a text"]),
      issuer: [["", "a text"]],
      authorizationEndpoint: ["//a", "a", "http://a.example", ""].map((value) => [value, endpoint]),
      authorizationParameters: [["a", "an object"]],
      tokenEndpoint: [[7, "an https URL or a path"]],
      revocationEndpoint: [["http://a.example", endpoint]],
      scopes: ["users.read", {}].map((value) => [value, texts]),
      scopeSeparator: [["", "a text"]],
      grantedScopes: [["", "a text"]],
      codeChallenge: [["sha1", "one of base64url, hex, none"]],
      clientAuthentication: [["none", authentication]],
      clientIdParameter: [["", "a text"]],
      calls: [["/me", "an object"]],
      envelope: [[], "data"].map((value) => [value, someText]),
      accountId: [[], "id"].map((value) => [value, place]),
      accountName: [[[], place]],
      traits: [[[], "an object"]],
      errors: [["error", "an object"]],
    };
    for (const [field, values] of Object.entries(wrong)) {
      for (const [value, wanted] of values) {
        const text = `export default ${JSON.stringify({ microblog: { [field]: value } })}`;
        expect(await mistakesOf(text)).to.equal(
          notValid([`microblog.${field} must be ${wanted}, not ${JSON.stringify(value)}.`]),
        );
      }
    }
    const required = [
      "label",
      "authorizationEndpoint",
      "tokenEndpoint",
      "scopes",
      "calls",
      "accountId",
      "traits",
    ];
    for (const field of required) {
      const text = `export default { microblog: { ${field}: undefined } }`;
      expect(await mistakesOf(text)).to.match(
        new RegExp(`\n- microblog\\.${field} must be .*, not undefined\\.$`),
      );
    }
    const revocation = { photo_social: { revocationEndpoint: "/revoke" } };
    const client = { IDENTITY_PHOTO_SOCIAL_CLIENT_ID: "a", IDENTITY_PHOTO_SOCIAL_CLIENT_SECRET: "b" };
    expect((await rejection(openProviders(loadPageConfig(client), revocation))).message).to.include(
      "IDENTITY_PHOTO_SOCIAL_BASE_URL is not set",
    );
    const corrections = {
      myspace: {},
      toString: {},
      exchange: 7,
      microblog: { tokenUrl: "https://a.example", token: "", calls: { me: "https://a.example/me" } },
      short_video: {
        errors: { codes: [[]], success: "", reasons: { a: "b" } },
        traits: { likes: [""] },
      },
    };
    const fields = Object.keys(wrong).join(", ");
    const known = "known are microblog, exchange, photo_social, short_video";
    const noProvider = (name: string) =>
      `${name} is not a provider; ${known}. docs/providers.md says how to add one.`;
    expect(await mistakesOf(`export default ${JSON.stringify(corrections)}`)).to.equal(
      notValid([
        noProvider("myspace"),
        noProvider("toString"),
        "exchange must be an object with fields of a connector, not 7.",
        `microblog has an unknown field tokenUrl; known are ${fields}.`,
        `microblog has an unknown field token; known are ${fields}.`,
        'short_video.traits.likes.0 must be a text, not "".',
        `short_video.errors.codes.0 must be ${someText}, not [].`,
        'short_video.errors.success must be a text, not "".',
        `short_video.errors.reasons.a must be one of ${failureReasons.join(", ")}, not "b".`,
      ]),
    );
    const apart = {
      microblog: { calls: { me: "/me", it: "/it" }, traits: {}, accountName: ["me", "name"] },
      short_video: { traits: { likes: ["user", "likes"] } },
    };
    expect(await mistakesOf(`export default ${JSON.stringify(apart)}`)).to.equal(
      notValid([
        "microblog: accountId is in the answer to user, which is not one of the calls (me, it).",
        "short_video: likes is not one of the provider's traits (follower_count, following_count, likes_count, video_count).",
      ]),
    );
    expect(await mistakesOf("export const connectors = {}")).to.equal(
      "IDENTITY_CONNECTORS names <file>, a module that has no default export.",
    );
    expect(await mistakesOf("export default 7")).to.equal(
      "IDENTITY_CONNECTORS (<file>) must be an object of corrections by the provider's name.",
    );
    expect(await mistakesOf("throw new Error('away')")).to.equal(
      "IDENTITY_CONNECTORS names a module that cannot be loaded, <file>: away",
    );
    await writeFile(join(folder, "empty.mjs"), "export default {}");
    const nowhere = openProviders(
      loadPageConfig({ ...exchange, IDENTITY_CONNECTORS: join(folder, "empty.mjs") }),
    );
    expect((await rejection(nowhere)).message).to.equal(
      "The verify page's configuration is not valid:\n- IDENTITY_EXCHANGE_BASE_URL is not set; this provider has no public address of its own.",
    );
    const ofCode = openProviders(loadPageConfig({}), { microblog: { label: "" } });
    expect((await rejection(ofCode)).message).to.equal(
      'The option connectors is not valid:\n- microblog.label must be a text, not "".',
    );
  });
});
