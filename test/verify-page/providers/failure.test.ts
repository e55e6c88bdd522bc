import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { ProviderFailure } from "../../../packages/verify-page/providers/failure.ts";
import { proveAccount } from "../../../packages/verify-page/providers/oauth.ts";
import { setEnvironment } from "../../fixtures/environment.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { rejection } from "../../fixtures/rejection.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown): Answer =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
const token = json(200, { access_token: "secret-token", token_type: "bearer" });

describe("a provider that misbehaves", () => {
  async function failureWith(
    answers: { token?: Answer; user?: Answer; revoke?: Answer },
    timeoutSeconds = 10,
  ) {
    const { url } = await serveHttp((request, response) => {
      const [, , , name = "user"] = request.url?.split("/") ?? [];
      const answer = name === "token" || name === "revoke" ? answers[name] : answers.user;
      answer?.(request, response);
    });
    return failureAt(url, timeoutSeconds);
  }

  const prove = (baseUrl: string, timeoutSeconds = 10, query = "code=the-code&state=s") =>
    proveAccount({
      connector: connectors.microblog,
      client: { clientId: "id", clientSecret: "client-secret%+:", baseUrl },
      callbackUrl: new URL(`http://127.0.0.1:3000/verify/callback/microblog?${query}`),
      state: "s",
      codeVerifier: "v".repeat(43),
      timeoutSeconds,
    });

  async function failureAt(baseUrl: string, timeoutSeconds = 10) {
    const outcome = await prove(baseUrl, timeoutSeconds).catch((error: unknown) => error);
    if (!(outcome instanceof ProviderFailure)) throw new Error(`Not a provider failure: ${outcome}`);
    expect(outcome.message).not.to.match(/secret-token|t-secret|the-code|account-7/);
    const said = outcome.message.replace(new URL(baseUrl).host, "host");
    return `${outcome.reason}: ${said.replace("Provider microblog: ", "")}`;
  }

  const never: Answer = () => {};
  const user = (body: unknown) => ({ token, user: json(200, body) });

  it("is slow with the token", async () => {
    expect(await failureWith({ token: never }, 0.05)).to.equal("timeout: host does not answer in time.");
  });

  it("is slow with the account, in the middle of its answer, and is asked to end the token still", async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"data":');
    };
    const ended = new Promise<void>((resolve) => {
      const revoke: Answer = (_request, response) => void response.end(resolve);
      failureWith({ token, user: half, revoke }, 1).then((said) =>
        expect(said).to.equal("timeout: host does not answer in time."),
      );
    });
    await ended;
  });

  it("sends back what is no answer to one sign-in", async () => {
    for (const [query, says] of [
      ["code=a&code=b&state=s", "has two codes"],
      ["code=a&state=s&state=t", "is not to this sign-in"],
      ["state=s", "has neither a code nor an error"],
    ] as const) {
      const { message } = await rejection(prove("http://127.0.0.1:1", 10, query));
      expect(message).to.equal(`Provider microblog: the callback ${says}.`);
    }
  });

  it("is down", async () => {
    const { url, close } = await serveHttp(() => undefined);
    await close();
    expect(await failureAt(url)).to.equal("unreachable: host cannot be reached.");
    // The operator reads in the log what stands between.
    setEnvironment({ HTTP_PROXY: "http://user:secret@proxy.example:3128", http_proxy: undefined });
    const { message } = await rejection(prove(url));
    expect(message).to.match(/cannot be reached; HTTP_PROXY is set, but Node uses it only with NODE_USE/);
  });

  it("hangs up", async () => {
    const hangUp: Answer = (request) => request.socket.destroy();
    expect(await failureWith({ token, user: hangUp })).to.equal("unreachable: host cannot be reached.");
  });

  it("hangs up on a connection that was kept, and answers on the next one, for anything but a code", async () => {
    const asked = { user: 0, token: 0 };
    const once =
      (name: keyof typeof asked, then: Answer): Answer =>
      (request, response) =>
        asked[name]++ === 0 ? request.socket.destroy() : then(request, response);
    expect(await failureWith({ token, user: once("user", json(503, {})) })).to.equal(
      "provider_error: host/2/users/me answers 503.",
    );
    expect(await failureWith({ token: once("token", token), user: json(503, {}) })).to.equal(
      "unreachable: host cannot be reached.",
    );
    expect(asked).to.deep.equal({ user: 2, token: 1 });
  });

  it("has an error of its own", async () => {
    expect(await failureWith({ token: json(500, {}) })).to.equal(
      "provider_error: host/2/oauth2/token answers 500.",
    );
    expect(await failureWith({ token, user: json(503, {}) })).to.equal(
      "provider_error: host/2/users/me answers 503.",
    );
  });

  it("asks to come again", async () => {
    for (const status of [408, 425]) {
      expect(await failureWith({ token, user: json(status, {}) })).to.equal(
        `provider_error: host/2/users/me answers ${status}.`,
      );
    }
  });

  it("is behind a firewall that refuses us with a page", async () => {
    const page: Answer = (_request, response) =>
      response.writeHead(403, { "content-type": "text/html" }).end("<title>Just a moment...</title>");
    const trouble = "provider_error: host/2";
    expect(await failureWith({ token: page })).to.equal(
      `${trouble}/oauth2/token answers 403 without a JSON object.`,
    );
    expect(await failureWith({ token, user: page })).to.equal(
      `${trouble}/users/me answers 403 without a JSON object.`,
    );
  });

  it("answers a token that no request can carry", async () => {
    for (const unfit of ["t-\u4e2d", "t-\r\nx: y"]) {
      expect(await failureWith({ token: json(200, { access_token: unfit }) })).to.equal(
        "bad_answer: host/2/oauth2/token answers no access token.",
      );
    }
  });

  it("names its reason for refusing the code, whatever the status", async () => {
    for (const status of [200, 400, 401, 403]) {
      for (const [error, reason, shown = error] of [
        ["invalid_grant", "expired"],
        ["invalid_client", "not_set_up"],
        ["server_error", "provider_error"],
        ["a_word", "refused"],
        ["t-secret", "refused", "other"],
        ["client-secret of account-7", "refused", "other"],
      ])
        expect(await failureWith({ token: json(status, { error }) })).to.equal(
          `${reason}: host/2/oauth2/token answers ${status} "${shown}".`,
        );
    }
    expect(await failureWith({ token: json(401, {}) })).to.equal("refused: host/2/oauth2/token answers 401.");
    expect(await failureWith({ token: json(429, { type: "https://x/problems/usage-capped" }) })).to.equal(
      'quota_exceeded: host/2/oauth2/token answers 429 "usage-capped".',
    );
  });

  it("has a bill to be paid, a suspended person or an unknown reason", async () => {
    const fails = (status: number, body: object) => failureWith({ token, user: json(status, body) });
    expect(await fails(402, {})).to.equal("not_set_up: host/2/users/me answers 402.");
    const [blocked, refused] = ["account_blocked", "refused"].map(
      (reason) => `${reason}: host/2/users/me answers`,
    );
    expect(await fails(403, { errors: [{ code: 64, message: "account-7" }] })).to.equal(
      `${blocked} 403 "64".`,
    );
    const forbidden = { title: "Forbidden", type: "about:blank" };
    expect(await fails(403, forbidden)).to.equal(`${refused} 403 "Forbidden".`);
    expect(await fails(400, { title: "Invalid Request" })).to.equal(`${refused} 400 "other".`);
  });

  it("grants less than was asked for, in any form of the list", async () => {
    const granting = (scope: unknown) =>
      failureWith({
        token: json(200, { access_token: "secret-token", scope }),
        user: json(404, {}),
      });
    expect(await granting("users.read")).to.equal("partly_denied: the token lacks the scope tweet.read.");
    expect(await granting("")).to.equal("partly_denied: the token lacks the scope users.read, tweet.read.");
    const list = ["users.read", "tweet.read"];
    for (const all of ["tweet.read,users.read", "more users.read  tweet.read", list, null, undefined]) {
      expect(await granting(all)).to.equal("bad_answer: host/2/users/me answers 404.");
    }
  });

  it("revokes the token in the middle", async () => {
    expect(await failureWith({ token, user: json(401, {}) })).to.equal(
      "refused: host/2/users/me answers 401.",
    );
    for (const status of [401, 403, 404]) {
      const challenge: Answer = (_request, response) =>
        response
          .writeHead(status, { "www-authenticate": 'Bearer realm="x", error="a_word", a="b"' })
          .end("{}");
      expect((await failureWith({ token, user: challenge })).replace(/^.*answers /, "")).to.equal(
        status === 404 ? "404." : `${status} "a_word".`,
      );
    }
    expect(await failureWith({ token, user: json(403, { id: "account-7" }) })).to.equal(
      "refused: host/2/users/me answers 403.",
    );
  });

  it("answers nonsense in place of a token", async () => {
    const html: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome!</p>");
    };
    const nothing: Answer = (_request, response) => void response.writeHead(204).end();
    const says = async (token: Answer) => (await failureWith({ token })).replace(/^.*answers /, "");
    expect([
      await says(html),
      await says(nothing),
      await says(json(200, {})),
      await says(json(200, "x")),
    ]).to.deep.equal([
      "200 without a JSON object.",
      "204 without a JSON object.",
      "no access token.",
      "200 without a JSON object.",
    ]);
  });

  it("answers nonsense in place of an account", async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":{"id":"account-7"');
    };
    expect(await failureWith({ token, user: half })).to.equal(
      "bad_answer: host/2/users/me answers 200 without a JSON object.",
    );
    expect(await failureWith(user({ data: {} }))).to.equal("bad_answer: no account id at user.data.id.");
    expect(await failureWith(user({ data: { id: "account-7", verified: "account-7" } }))).to.equal(
      "bad_answer: the value at user.data.verified is not of type bool.",
    );
    expect(await failureWith({ token, user: json(404, {}) })).to.equal(
      "bad_answer: host/2/users/me answers 404.",
    );
  });

  it("answers with a token, whatever stands beside it", async () => {
    const account = json(200, { data: { id: "account-7", verified: true, public_metrics: {} }, errors: [] });
    const tokens = [
      json(201, { access_token: "t", token_type: "user", expires_in: "soon", id_token: "no JWT" }),
      json(200, { access_token: "t", token_type: null, expires_in: null, refresh_token: null, scope: null }),
      json(200, { access_token: "t", error: "", expires_in: -1 }),
    ];
    for (const answer of tokens) {
      const said = new Set<string | undefined>();
      const { url } = await serveHttp((request, response) => {
        said.add(request.headers.authorization);
        (request.url?.startsWith("/2/oauth2/token") ? answer : account)(request, response);
      });
      expect((await prove(url)).accountId).to.equal("account-7");
      expect([...said].slice(0, 2)).to.deep.equal([
        `Basic ${Buffer.from("id:client-secret%25%2B%3A").toString("base64")}`,
        "Bearer t",
      ]);
    }
  });

  it("has a megabyte for an answer", async () => {
    const account = JSON.stringify({ data: { id: "account-7", verified: true, public_metrics: {} } });
    const answerOf = (size: number): Answer => {
      return (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(account.padEnd(size));
      };
    };
    const { url } = await serveHttp((request, response) => {
      (request.url?.startsWith("/2/oauth2/token") ? token : answerOf(1_000_000))(request, response);
    });
    expect((await prove(url)).accountId).to.equal("account-7");
    expect(await failureWith({ token, user: answerOf(1_000_001) })).to.equal(
      "bad_answer: host answers more than 1000000 bytes.",
    );
    expect(await failureWith({ token: answerOf(1_000_001) })).to.equal(
      "bad_answer: host answers more than 1000000 bytes.",
    );
  });

  it("answers without end", async () => {
    const endless: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(64 * 1024, " ");
      const pump = () => {
        while (response.writable && response.write(chunk)) {}
      };
      response.on("drain", pump);
      pump();
    };
    expect(await failureWith({ token, user: endless })).to.equal(
      "bad_answer: host answers more than 1000000 bytes.",
    );
  });

  it("sends us elsewhere with the access token, in vain", async () => {
    let followed = false;
    const elsewhere: Answer = (request, response) => {
      if (request.url === "/elsewhere") followed = true;
      response.writeHead(302, { location: "/elsewhere" }).end();
    };
    expect(await failureWith({ token, user: elsewhere })).to.equal(
      "bad_answer: host/2/users/me answers 302 without a JSON object.",
    );
    expect(followed).to.equal(false);
  });
});
