import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { IdentityError } from "../../../packages/client/index.ts";
import type { Problem } from "../../../packages/protocol/errors.ts";
import { fetchAnswer, ServiceFailure } from "../../../packages/verify-page/shared/fetchAnswer.ts";
import { NodeFailure, nameTrouble, WalletFailure } from "../../../packages/verify-page/shared/trouble.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("A page's request to the service", () => {
  const ask = async (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
    fetchAnswer<unknown>((await serveHttp(answer)).url);
  const json = (status: number, body: object) => (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  it("is answered with JSON, or with nothing", async () => {
    expect(await ask(json(200, { a: 1 }))).to.deep.equal({ a: 1 });
    expect(await ask((_request, response) => response.writeHead(204).end())).to.equal(undefined);
  });

  it("fails with the service's code and its sentence", async () => {
    const failure = await rejection(ask(json(409, { code: "stale_page", detail: "Too late." })));
    expect(failure)
      .to.be.instanceOf(ServiceFailure)
      .and.include({ code: "stale_page", message: "Too late." });
  });

  const others: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
    "a page of its own": (_request, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"),
    "a page of its own that calls itself right": (_request, response) => response.end("<h1>Log in</h1>"),
    "JSON of its own": json(403, { error: "denied" }),
  };
  for (const [what, answer] of Object.entries(others)) {
    it(`fails as garbled where something else answers with ${what}`, async () => {
      expect(await rejection(ask(answer))).to.include({ code: "garbled" });
    });
  }

  it("fails as unreachable where nothing answers, or the answer breaks off", async () => {
    const cut = (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    };
    expect(await rejection(ask(cut))).to.include({ code: "unreachable" });
    expect(await rejection(fetchAnswer("http://127.0.0.1:1/"))).to.include({ code: "unreachable" });
  });
});

describe("The trouble of an error", () => {
  const failure = (code: ServiceFailure["code"]) => new ServiceFailure(code, "No.");
  const codes = {
    unreachable: "unreachable",
    garbled: "garbled",
    internal: "internal",
    rate_limited: "tooOften",
    chain_unavailable: "chain",
    store_unavailable: "store",
    overloaded: "busy",
    not_ready: "busy",
    not_found: "mismatch",
    foreign_origin: "mismatch",
  } satisfies Partial<Record<Problem["code"] | "unreachable" | "garbled", string>>;

  for (const [code, trouble] of Object.entries(codes)) {
    it(`is ${trouble} for the service's ${code}, whatever it is the cause of`, () => {
      const error = failure(code as keyof typeof codes);
      expect(nameTrouble(error)).to.equal(trouble);
      expect(nameTrouble(new Error("outside", { cause: error }))).to.equal(trouble);
    });
  }

  it("is the person's who refused, the wallet's that asks already, and otherwise the wallet's if it comes from there", () => {
    const error = (code: unknown) => Object.assign(new Error("No."), { code });
    for (const code of [4001, 5000, 5001, 5002])
      expect(nameTrouble(error(code)), `${code}`).to.equal("refused");
    expect(nameTrouble(error("client_user_rejected"))).to.equal("refused");
    expect(nameTrouble(error(-32002))).to.equal("asksAlready");
    for (const cause of [error(-32603), new TypeError("No."), undefined])
      expect(nameTrouble(new WalletFailure("No.", { cause }))).to.equal("wallet");
    const unreadable = new IdentityError("client_invalid_response", "No.");
    expect(nameTrouble(unreadable)).to.equal("wallet");
  });

  it("is the page's own where nobody else has failed, and what a newer service calls otherwise is nobody's", () => {
    for (const mistake of [
      new TypeError("No."),
      new IdentityError("client_invalid_argument", "No."),
      undefined,
    ])
      expect(nameTrouble(mistake)).to.equal("page");
    expect(nameTrouble(failure("of_tomorrow" as "internal"))).to.equal("mismatch");
  });

  it("is the node's before anybody else's, and found in causes that go round", () => {
    const node = new NodeFailure("No.", { cause: failure("overloaded") });
    expect(nameTrouble(new Error("outside", { cause: node }))).to.equal("node");
    const round: Error & { cause?: unknown } = new Error("round");
    round.cause = round;
    expect(nameTrouble(round)).to.equal("page");
  });
});
