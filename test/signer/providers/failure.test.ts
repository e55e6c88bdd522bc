import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { ProviderFailure } from "../../../signer/internal/providers/failure.ts";
import { proveAccount } from "../../../signer/internal/providers/oauth.ts";
import { connectors } from "../../../signer/providers/connectors.ts";
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
  async function failureWith(answers: { token?: Answer; user?: Answer; revoke?: Answer }, timeout = 10) {
    const { url } = await serveHttp((request, response) => {
      const [, , , name = "user"] = request.url?.split("/") ?? [];
      const answer = name === "token" || name === "revoke" ? answers[name] : answers.user;
      answer?.(request, response);
    });
    return failureAt(url, timeout);
  }

  const prove = (baseUrl: string, timeout = 10, query = "code=the-code&state=s") =>
    proveAccount({
      connector: connectors.microblog,
      client: { clientId: "id", clientSecret: "client-secret%+:", baseUrl },
      callbackUrl: new URL(`http://127.0.0.1:3000/verify/callback/microblog?${query}`),
      state: "s",
      codeVerifier: "v".repeat(43),
      timeout,
    });

  async function failureAt(baseUrl: string, timeout = 10) {
    const outcome = await prove(baseUrl, timeout).catch((error: unknown) => error);
    if (!(outcome instanceof ProviderFailure)) throw new Error(`Not a provider failure: ${outcome}`);
    expect(outcome.message).not.to.match(/secret-token|t-secret|the-code|account-7/);
    return outcome.reason;
  }

  const never: Answer = () => {};
  const user = (body: unknown) => ({ token, user: json(200, body) });

  it("is slow with the token", async () => {
    expect(await failureWith({ token: never }, 0.05)).to.equal("timeout");
  });

  it("is slow with the account, in the middle of its answer, and is asked to end the token still", async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"data":');
    };
    const ended = new Promise<void>((resolve) => {
      const revoke: Answer = (_request, response) => void response.end(resolve);
      failureWith({ token, user: half, revoke }, 1).then((reason) => expect(reason).to.equal("timeout"));
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
    expect(await failureAt(url)).to.equal("unreachable");
    // The operator reads in the log what stands between.
    setEnvironment({ HTTP_PROXY: "http://user:secret@proxy.example:3128", http_proxy: undefined });
    const { message } = await rejection(prove(url));
    expect(message).to.match(/cannot be reached; HTTP_PROXY is set, but Node uses it only with NODE_USE/);
  });

  it("hangs up", async () => {
    const hangUp: Answer = (request) => request.socket.destroy();
    expect(await failureWith({ token, user: hangUp })).to.equal("unreachable");
  });

  it("has an error of its own", async () => {
    expect(await failureWith({ token: json(500, {}) })).to.equal("provider_error");
    expect(await failureWith({ token, user: json(503, {}) })).to.equal("provider_error");
  });

  it("names its reason for refusing the code, whatever the status", async () => {
    for (const status of [200, 400, 401, 403]) {
      expect(await failureWith({ token: json(status, { error: "invalid_grant" }) })).to.equal("expired");
      expect(await failureWith({ token: json(status, { error: "invalid_client" }) })).to.equal("not_set_up");
      expect(await failureWith({ token: json(status, { error: "server_error" }) })).to.equal(
        "provider_error",
      );
      for (const error of ["a_word", "t-secret", "client-secret of account-7"])
        expect(await failureWith({ token: json(status, { error }) })).to.equal("refused");
    }
    expect(await failureWith({ token: json(401, {}) })).to.equal("refused");
    expect(await failureWith({ token: json(429, { type: "https://x/problems/usage-capped" }) })).to.equal(
      "quota_exceeded",
    );
  });

  it("has a bill to be paid, a suspended person or an unknown reason", async () => {
    const fails = (status: number, body: object) => failureWith({ token, user: json(status, body) });
    expect(await fails(402, {})).to.equal("not_set_up");
    expect(await fails(403, { errors: [{ code: 64, message: "account-7" }] })).to.equal("account_blocked");
    expect(await fails(403, { title: "Forbidden", type: "about:blank" })).to.equal("refused");
    expect(await fails(400, { title: "Invalid Request" })).to.equal("refused");
  });

  it("grants less than was asked for, in any form of the list", async () => {
    const granting = (scope: unknown) =>
      failureWith({
        token: json(200, { access_token: "secret-token", scope }),
        user: json(404, {}),
      });
    expect(await granting("users.read")).to.equal("partly_denied");
    expect(await granting("")).to.equal("partly_denied");
    for (const all of ["tweet.read,users.read", "more users.read  tweet.read", null, undefined]) {
      expect(await granting(all)).to.equal("bad_answer");
    }
  });

  it("revokes the token in the middle", async () => {
    expect(await failureWith({ token, user: json(401, {}) })).to.equal("refused");
    expect(await failureWith({ token, user: json(403, { id: "account-7" }) })).to.equal("refused");
  });

  it("answers nonsense in place of a token", async () => {
    const html: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<p>Welcome!</p>");
    };
    expect(await failureWith({ token: html })).to.equal("bad_answer");
    expect(await failureWith({ token: (_request, response) => void response.writeHead(204).end() })).to.equal(
      "bad_answer",
    );
    expect(await failureWith({ token: json(200, {}) })).to.equal("bad_answer");
    expect(await failureWith({ token: json(200, "x") })).to.equal("bad_answer");
  });

  it("answers nonsense in place of an account", async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":{"id":"account-7"');
    };
    expect(await failureWith({ token, user: half })).to.equal("bad_answer");
    expect(await failureWith(user({ data: {} }))).to.equal("bad_answer");
    expect(await failureWith(user({ data: { id: "account-7", verified: "account-7" } }))).to.equal(
      "bad_answer",
    );
    expect(await failureWith({ token, user: json(404, {}) })).to.equal("bad_answer");
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
    expect(await failureWith({ token, user: answerOf(1_000_001) })).to.equal("bad_answer");
    expect(await failureWith({ token: answerOf(1_000_001) })).to.equal("bad_answer");
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
    expect(await failureWith({ token, user: endless })).to.equal("bad_answer");
  });

  it("sends us elsewhere with the access token, in vain", async () => {
    let followed = false;
    const elsewhere: Answer = (request, response) => {
      if (request.url === "/elsewhere") followed = true;
      response.writeHead(302, { location: "/elsewhere" }).end();
    };
    expect(await failureWith({ token, user: elsewhere })).to.equal("bad_answer");
    expect(followed).to.equal(false);
  });
});
