import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import type { Connector } from "../../../packages/verify-page/connectors/connector.ts";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { proveAccount, startAuthorization } from "../../../packages/verify-page/providers/oauth.ts";
import { exchangeGateway } from "../../fixtures/providers/exchangeGateway.ts";
import { instagram } from "../../fixtures/providers/instagram.ts";
import {
  comeBack,
  environmentOf,
  provingAt,
  publicUrl,
  serveProvider,
  serveWithProviders,
} from "../../fixtures/providers/prove.ts";
import { type Behaviour, json } from "../../fixtures/providers/standIn.ts";
import { openIdOf, tikTok, tikTokOf, unionIdOf } from "../../fixtures/providers/tikTok.ts";
import { unreadable, x } from "../../fixtures/providers/x.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";

const providers = {
  microblog: x,
  exchange: exchangeGateway,
  photo_social: instagram("flat"),
  short_video: tikTok,
};

/** A run: what the person meets, the traits or the reason that the page shows, and what the operator's line names. */
type Run = readonly [
  when: string,
  behaviour: Behaviour,
  shows: Readonly<Record<string, string>> | string,
  logs?: RegExp,
];

const denies: Run = ["the person denies", { deny: true }, "denied", /callback.*access_denied/];

const runs: Readonly<Record<keyof typeof providers, readonly Run[]>> = {
  microblog: [
    [
      "a protected account allows everything",
      {},
      { followers: "513868", verified: "true", verified_type: "blue" },
    ],
    denies,
    [
      "the app may not read the counts",
      { account: { public_metrics: undefined, errors: unreadable("public_metrics") } },
      "incomplete",
      /\/2\/users\/me answers 200 "not-authorized-for-field"/,
    ],
    ["the person is suspended", { suspended: true }, "account_blocked", /\/2\/users\/me answers 403 "64"/],
    ["too many have asked", { rateLimited: true }, "rate_limited", /\/2\/users\/me answers 429/],
    [
      "the operator has no credits",
      { outOfCredit: true },
      "not_set_up",
      /\/2\/users\/me answers 402 "credits"/,
    ],
    ["the secret is another", { newSecret: true }, "not_set_up", /token answers 401 "unauthorized_client"/],
    ["the browser comes late", { lateCode: true }, "refused", /token answers 400 "invalid_request"/],
  ],
  exchange: [
    [
      "a member allows everything",
      {},
      { exchange_membership_active: "true", exchange_membership_billed: "false" },
    ],
    denies,
    [
      "the person leaves out the membership",
      { withholdScopes: ["membership:read"] },
      "partly_denied",
      /lacks the scope membership:read/,
    ],
    [
      "the gateway does not say whether they are a member",
      { account: { active: undefined, billed: undefined } },
      "incomplete",
      /none of the values/,
    ],
    [
      "the account is not verified",
      { suspended: true },
      "refused",
      /\/v2\/user answers 400 "identity_verification_required"/,
    ],
    ["too many have asked", { rateLimited: true }, "rate_limited", /answers 429 "rate_limit_exceeded"/],
    ["the partner's plan has ended", { outOfCredit: true }, "not_set_up", /answers 402/],
    ["the secret is another", { newSecret: true }, "not_set_up", /token answers 401 "invalid_client"/],
    ["the browser comes late", { lateCode: true }, "expired", /token answers 400 "invalid_grant"/],
  ],
  photo_social: [
    ["a professional account allows everything", {}, { followers_count: "7", username: "alice" }],
    denies,
    [
      "the person leaves out the profile",
      { withholdScopes: ["instagram_business_basic"] },
      "partly_denied",
      /lacks the scope instagram_business_basic/,
    ],
    ["the person is locked", { suspended: true }, "account_blocked", /\/me answers 400 "190\/459"/],
    ["too many have asked", { rateLimited: true }, "rate_limited", /\/me answers 403 "4"/],
    ["the app has no Advanced Access", { outOfCredit: true }, "not_set_up", /\/me answers 400 "100"/],
    ["the secret is another", { newSecret: true }, "refused", /access_token answers 400 "OAuthException"/],
    ["the browser comes late", { lateCode: true }, "refused", /access_token answers 400 "OAuthException"/],
  ],
  short_video: [
    [
      "an account with many followers allows everything",
      {},
      { follower_count: "11907467940", following_count: "0", likes_count: "2", video_count: "3" },
    ],
    denies,
    [
      "the person leaves out the statistics",
      { withholdScopes: ["user.info.stats"] },
      "partly_denied",
      /lacks the scope user\.info\.stats/,
    ],
    [
      "the person is suspended",
      { suspended: true },
      "refused",
      /\/v2\/user\/info\/ answers 401 "access_token_invalid"/,
    ],
    ...[undefined, null, ""].map(
      (union_id): Run => [
        `TikTok tells ${JSON.stringify(union_id) ?? "nothing"} as the id across the developer's apps`,
        { account: { union_id } },
        "bad_answer",
        /no account id at user\.data\.user\.union_id\.$/,
      ],
    ),
    ["too many have asked", { rateLimited: true }, "rate_limited", /answers 429 "rate_limit_exceeded"/],
    ["the app is not approved", { outOfCredit: true }, "not_set_up", /callback.*invalid_scope/],
    ["the secret is another", { newSecret: true }, "not_set_up", /token\/ answers 200 "invalid_client"/],
    ["the browser comes late", { lateCode: true }, "expired", /token\/ answers 200 "invalid_grant"/],
  ],
};

// cspell:ignore fbtrace facebookarchive akrherz iembot oaeproject akai
const meta = (code: number, error_subcode?: number) => ({
  error: { message: "(#0) alice", type: "OAuthException", code, error_subcode, fbtrace_id: "A" },
});

/**
 * Providers' answers about a limit, an ended token or a closed account, with the page's reason and the log's text, by
 * Meta's "Handling Errors" and "Rate Limits", GitHub's "Troubleshooting the REST API", Coinbase's "Error Messages",
 * and reports of other tools: facebookarchive/python-instagram#34, akrherz/iembot#156, app-sre/github-mirror#62,
 * oaeproject/3akai-ux#3555.
 */
const sayings: readonly (readonly [keyof typeof providers, Behaviour, reason: string, logs: RegExp])[] = [
  ...[4, 17, 32, 341, 613, 80000, 80002, 80014].map(
    (code) =>
      [
        "photo_social",
        { says: json(400, meta(code)) },
        "rate_limited",
        new RegExp(`/me answers 400 "${code}"`),
      ] as const,
  ),
  ["photo_social", { says: json(400, meta(4, 2207051)) }, "rate_limited", /answers 400 "4"/],
  ["photo_social", { says: json(400, meta(190, 460)) }, "expired", /answers 400 "190\/460"/],
  ["photo_social", { says: json(400, meta(190, 463)) }, "expired", /answers 400 "190\/463"/],
  ["photo_social", { says: json(400, meta(102, 464)) }, "account_blocked", /answers 400 "102\/464"/],
  ["photo_social", { says: json(400, meta(459)) }, "refused", /answers 400 "459"/],
  ["photo_social", { says: json(200, meta(190)) }, "expired", /\/me answers 200 "190"/],
  ["photo_social", { says: json(400, meta(200)) }, "not_set_up", /answers 400 "200"/],
  ["photo_social", { says: json(400, meta(-1)) }, "provider_error", /answers 400 "-1"/],
  ["photo_social", { says: json(200, { data: [] }) }, "bad_answer", /no account id/],
  [
    "photo_social",
    { tokenSays: json(400, { code: 420, error_type: "OAuthRateLimitException", error_message: "5001" }) },
    "rate_limited",
    /access_token answers 400 "OAuthRateLimitException"/,
  ],
  [
    "photo_social",
    { says: json(429, { meta: { code: 429, error_type: "OAuthRateLimitException" } }) },
    "rate_limited",
    /answers 429/,
  ],
  [
    "photo_social",
    { comesBackWith: { error_code: "1349126", error_message: "App Not Setup" } },
    "refused",
    /the callback has the error "other"/,
  ],
  [
    "microblog",
    {
      says: json(403, {
        detail: "The user used for authentication is suspended",
        title: "Forbidden",
        status: 403,
        type: "https://api.twitter.com/2/problems/user-suspended",
      }),
    },
    "account_blocked",
    /answers 403 "user-suspended"/,
  ],
  [
    "microblog",
    { says: json(401, { errors: [{ code: 89, message: "Invalid or expired token." }] }) },
    "expired",
    /401 "89"/,
  ],
  ["microblog", { says: json(403, { errors: [{ code: 88 }] }) }, "rate_limited", /403 "88"/],
  ["microblog", { says: json(403, {}, { "retry-after": "60" }) }, "rate_limited", /answers 403/],
  ["microblog", { says: json(403, {}, { "x-rate-limit-remaining": "0" }) }, "rate_limited", /answers 403/],
  ["microblog", { says: json(403, {}, { "x-rate-limit-remaining": "74" }) }, "refused", /answers 403/],
  ["microblog", { says: json(400, {}, { "ratelimit-remaining": "0" }) }, "rate_limited", /answers 400/],
  ["microblog", { says: json(420, {}) }, "rate_limited", /answers 420/],
  [
    "short_video",
    { tokenSays: json(200, { data: { description: "alice", error_code: 10007 }, message: "error" }) },
    "expired",
    /token\/ answers 200 "10007"/,
  ],
  [
    "short_video",
    { says: json(200, { data: { user: {} }, error: { code: "rate_limit_exceeded" } }) },
    "rate_limited",
    /answers 200 "rate_limit_exceeded"/,
  ],
  [
    "exchange",
    { says: json(403, { errors: [{ id: "rate_limit_exceeded" }] }) },
    "rate_limited",
    /403 "rate_limit_exceeded"/,
  ],
  ["exchange", { says: json(401, { errors: [{ id: "revoked_token" }] }) }, "expired", /401 "revoked_token"/],
  [
    "exchange",
    { says: json(403, { errors: [{ id: "invalid_scope" }] }, { "x-ratelimit-remaining": "0" }) },
    "rate_limited",
    /403 "invalid_scope"/,
  ],
  ["exchange", { tokenSays: json(200, { error: "slow_down" }) }, "rate_limited", /200 "slow_down"/],
  [
    "exchange",
    { tokenSays: json(200, { error: { code: "invalid_grant" } }) },
    "expired",
    /200 "invalid_grant"/,
  ],
];

describe("A provider as its documentation and others' integrations have it", () => {
  let served: Awaited<ReturnType<typeof serveWithProviders>>;
  before(async () => {
    served = await serveWithProviders(providers);
  });

  for (const [name, ofProvider] of Object.entries(runs)) {
    for (const [when, behaviour, shows, logs = /./] of ofProvider) {
      const outcome = typeof shows === "string" ? `says ${shows}, and the log why,` : "shows the account";
      it(`${name} ${outcome} when ${when}`, async () => {
        const { proof, log, complaint } = await served.prove(name, behaviour);
        expect(complaint).to.equal(undefined);
        expect(JSON.stringify(log)).not.to.match(/alice|2244994945|178414058|9da7a204|915770042/i);
        for (const id of [openIdOf("client-short_video"), unionIdOf("one developer")]) {
          expect(JSON.stringify(log)).not.to.include(id);
        }
        if (typeof shows !== "string") {
          expect(proof, JSON.stringify(log)).to.deep.include({ step: "proven", traits: shows });
          return;
        }
        expect(proof, JSON.stringify(log)).to.include({ step: "failed", reason: shows });
        expect(log).to.have.lengthOf(1);
        expect(log[0]).to.include({ level: 40 }).and.have.property("detail").that.matches(logs);
      });
    }
  }

  for (const [name, behaviour, reason, logs] of sayings) {
    const said = JSON.stringify(behaviour.comesBackWith ?? (behaviour.says ?? behaviour.tokenSays)?.body);
    const { status, headers } = behaviour.says ?? behaviour.tokenSays ?? {};
    const how = JSON.stringify(Object.entries(headers ?? {}).slice(1));
    it(`${name} says ${reason}, and the log the code, for ${status ?? "a return"} ${said} ${how}`, async () => {
      const { proof, log } = await served.prove(name, behaviour);
      expect(proof, JSON.stringify(log)).to.include({ step: "failed", reason });
      expect(log[0]?.detail).to.match(logs);
      expect(JSON.stringify(log)).not.to.include("alice");
    });
  }

  it("lets a person choose another account, if the provider can ask for that", async () => {
    for (const [name, account, traits] of [
      ["photo_social", { user_id: "17841400000000001", username: "bob" }, { username: "bob" }],
      ["short_video", { person: "bob", likes_count: 99 }, { likes_count: "99" }],
    ] as const) {
      await served.prove(name);
      const { proof } = await served.prove(name, { account });
      expect(proof.traits, name).to.include(traits);
    }
  });

  it("knows a person of TikTok by the same account through each client key of one developer, and no other's", async () => {
    const { stack, standIns, ...served } = await serveWithProviders({ short_video: tikTok });
    const conditions = [{ name: "follower_count", op: "gte", value: "1" }] as const;
    const consumer = await stack.deployConsumer({ provider: "short_video", conditions });
    /** Verifies an account, and asks for a claim of its wallet. */
    const verify = async (
      { prove, address }: Pick<typeof served, "prove" | "address">,
      behaviour: Behaviour = {},
    ) => {
      const { visitor, proof } = await prove("short_video", behaviour);
      expect(proof).to.include({ step: "proven" });
      expect((await visitor.act("keep", { proof: proof.id })).status).to.equal(204);
      const asked = await signedRequest(visitor.wallet, String(consumer.target));
      const { status, body } = await requestVerification(address, asked);
      expect(status, JSON.stringify(body)).to.equal(200);
      return { wallet: visitor.wallet, verification: body };
    };
    /** The same service with another client key. */
    const withKey = async (clientId: string, developer: string) => {
      const standIn = await serveProvider("short_video", tikTokOf(developer), undefined, clientId);
      const replica = await stack.startReplica({
        IDENTITY_PUBLIC_URL: publicUrl,
        ...environmentOf("short_video", standIn),
      });
      return { ...provingAt(replica, { short_video: standIn }), standIn };
    };

    const first = await verify(served);
    const second = await withKey("another key", "one developer");
    const again = await verify(second);
    expect(again.verification.identityHash).to.equal(first.verification.identityHash);
    await stack.enroll(consumer, first.wallet, first.verification);
    await expect(stack.enroll(consumer, again.wallet, again.verification))
      .to.be.revertedWithCustomError(consumer, "IdentityAlreadyUsed")
      .withArgs(first.verification.identityHash);

    const bob = await verify(second, { account: { person: "bob" } });
    expect(bob.verification.identityHash).not.to.equal(first.verification.identityHash);
    const third = await withKey("another key", "another developer");
    const stranger = await verify(third);
    expect(stranger.verification.identityHash).not.to.equal(first.verification.identityHash);
    const asked = [standIns.short_video, second.standIn, third.standIn];
    expect(asked.map((each) => each?.clientId)).to.deep.equal([
      "client-short_video",
      "another key",
      "another key",
    ]);
  });

  it("ends the access token after reading, if the provider can", async () => {
    for (const name of ["microblog", "short_video"]) {
      expect((await served.prove(name)).proof, name).to.include({ step: "proven" });
      // Nobody waits for it.
      while (served.standIns[name]?.countTokens() !== 0) await setImmediate();
    }
  });

  it("is named in the log, and not to the person, if it did not end the token", async () => {
    const { prove, service } = await serveWithProviders({
      microblog: { ...x, revocation: ["/2/oauth2/revoke", json(503, {})] },
      short_video: { ...tikTok, revocation: ["/v2/oauth/revoke/", json(200, { error: "internal_error" })] },
    });
    for (const [name, says] of [
      ["microblog", /\/2\/oauth2\/revoke answers 503\.$/],
      ["short_video", /\/v2\/oauth\/revoke\/ answers 200 "internal_error"\.$/],
    ] as const) {
      expect((await prove(name)).proof).to.include({ step: "proven" });
      const told = () =>
        service.log.map((line) => JSON.parse(line)).find(({ provider }) => provider === name);
      while (told() === undefined) await setImmediate();
      expect(told()).to.include({ level: 30, msg: "A provider did not revoke its token." });
      expect(told().detail).to.match(says);
    }
  });

  it("photo_social shows the account from answers in the documented form, which integrations do not meet", async () => {
    const { prove } = await serveWithProviders({ photo_social: instagram("list") });
    const { proof, log } = await prove("photo_social");
    expect(proof, JSON.stringify(log)).to.deep.include({
      step: "proven",
      traits: { followers_count: "7", username: "alice" },
    });
    expect((await prove("photo_social", { deny: true })).proof).to.include({ reason: "denied" });
  });
});

describe("Proving an account", () => {
  const place = async (name: keyof typeof providers) => ({
    start: startAuthorization,
    connector: connectors[name],
    standIn: await serveProvider(name, providers[name]),
  });

  const accounts: readonly (readonly [keyof typeof providers, string, string | undefined])[] = [
    ["microblog", "2244994945", "alice"],
    ["exchange", "9da7a204-544e-5fd1-9a12-61176c5d4cd8", "Alice"],
    // A number above 2^53 in the answer to the code, and a text in the account.
    ["photo_social", "17841405822304914", undefined],
    ["short_video", unionIdOf("one developer"), "Alice 🎵"],
  ];
  for (const [name, accountId, accountName] of accounts) {
    it(`reads the stable id at ${name}, and the name that people know if it is no trait`, async () => {
      const proven = await proveAccount(await comeBack(await place(name)));
      expect([proven.accountId, proven.accountName]).to.deep.equal([accountId, accountName]);
    });
  }

  it("reads ids and counts above 2^53 without loss", async () => {
    const at = await place("microblog");
    // TypeScript does not know it yet.
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const [id, many] = ["9007199254740993", "123456789012345678901234567890"];
    const account = { id: rawJSON(id), public_metrics: { followers_count: rawJSON(many) } };
    expect(await proveAccount(await comeBack(at, { account }))).to.deep.include({
      accountId: id,
      traits: { followers: many, verified: "true", verified_type: "blue" },
    });
  });

  it("asks as its connector says: with a challenge in hex or base64url or none, and with further parameters", () => {
    const client = { clientId: "id", clientSecret: "secret" };
    const ask = (correction: Partial<Connector>) => {
      const connector = { ...connectors.microblog, ...correction };
      const { url, codeVerifier } = startAuthorization({
        connector,
        client,
        redirectUri: "https://a.example",
      });
      const parameters = new URL(url).searchParams;
      const hash = createHash("sha256").update(codeVerifier);
      return { hash, challenge: parameters.get("code_challenge"), parameters };
    };
    for (const form of ["hex", "base64url"] as const) {
      const { hash, challenge } = ask({ codeChallenge: form });
      expect(challenge).to.equal(hash.digest(form));
    }
    expect(`${ask({ codeChallenge: "none" }).parameters}`).not.to.include("code_challenge");
    const { parameters } = ask({ authorizationParameters: { prompt: "select_account" }, scopes: [] });
    expect(parameters.get("prompt")).to.equal("select_account");
    expect(parameters.has("scope")).to.equal(false);
  });

  it("compares the issuer where its connector names one, and not behind a base URL", async () => {
    const connector = { ...connectors.exchange, issuer: "https://login.example" };
    const at = { ...(await place("exchange")), connector };
    const input = await comeBack(at);
    input.callbackUrl.searchParams.set("iss", "https://other.example");
    const { baseUrl: _, ...client } = input.client;
    expect(await rejection(proveAccount({ ...input, client }))).to.include({
      message: "Provider exchange: the callback is from another issuer than the connector's.",
    });
    await proveAccount(input);
  });

  it("takes a code once, with the verifier of its own authorization, and in answer to it, and says why not as its connector has it", async () => {
    const at = await place("exchange");
    const [input, other] = [await comeBack(at), await comeBack(at)];
    expect(await rejection(proveAccount({ ...input, state: other.state }))).to.include({
      reason: "bad_answer",
    });
    for (const [name, value] of [
      ["state", other.state],
      ["code", "another"],
    ] as const) {
      const callbackUrl = new URL(input.callbackUrl);
      callbackUrl.searchParams.append(name, value);
      expect(await rejection(proveAccount({ ...input, callbackUrl })), `a second ${name}`).to.include({
        reason: "bad_answer",
      });
    }
    await proveAccount(input);
    expect(await rejection(proveAccount(input))).to.include({ reason: "expired" });
    const connector: Connector = { ...at.connector, errors: { reasons: { invalid_grant: "denied" } } };
    expect(await rejection(proveAccount({ ...input, connector }))).to.include({ reason: "denied" });
    const mixed = { ...other, codeVerifier: input.codeVerifier };
    expect(await rejection(proveAccount(mixed))).to.include({ reason: "expired" });
  });

  it("takes a scope of several words for granted with all of them only", async () => {
    const at = await place("exchange");
    const [scope] = at.connector.scopes;
    const input = await comeBack(at);
    const wider = { ...at.connector, scopes: [`${scope} another:read`] };
    expect(await rejection(proveAccount({ ...input, connector: wider }))).to.include({
      reason: "partly_denied",
      message: `Provider exchange: the token lacks the scope ${scope} another:read.`,
    });
  });
});
