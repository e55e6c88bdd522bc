import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type Submission, verifyAtSourcify } from "../../packages/registry/internal/verify/sourcify.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { rejection } from "../fixtures/rejection.ts";

const contractAddress = `0x${"12".repeat(20)}`;
const compilerInput = { language: "Solidity", sources: {}, settings: {} } as never;
const submission: Submission = {
  contractAddress,
  compilerInput,
  contractName: "a.sol:A",
  compilerVersion: "0.8.28",
  constructorArguments: "",
};

/** Answers of Sourcify to a submission and to each question after it, with what is made of them. */
const conversations: readonly (readonly [string, readonly [number, object | string][], string])[] = [
  [
    "knows it already",
    [[409, { customCode: "already_verified", message: "Already." }]],
    "already verified, ",
  ],
  [
    "verifies it after a while",
    [
      [202, { verificationId: "job" }],
      [200, { isJobCompleted: false, contract: { match: null } }],
      [200, { isJobCompleted: true, contract: { match: "match" } }],
    ],
    "verified, ",
  ],
  [
    "verifies it, although it fails, breaks off, and is asked too often, meanwhile",
    [
      [202, { verificationId: "job" }],
      [502, "<html>"],
      [500, { customCode: "internal_error", message: "Try again." }],
      [0, ""],
      [429, { customCode: "rate_limited", message: "Ask less often." }],
      [200, { isJobCompleted: true, contract: { match: "exact_match" } }],
    ],
    "verified, ",
  ],
  [
    "finds out that it knows it",
    [
      [202, { verificationId: "job" }],
      [200, { isJobCompleted: true, contract: { match: null }, error: { customCode: "already_verified" } }],
    ],
    "already verified, ",
  ],
  [
    "does not find the same code",
    [
      [202, { verificationId: "job" }],
      [
        200,
        {
          isJobCompleted: true,
          contract: { match: null },
          message: "Not this.",
          error: { customCode: "no_match", message: "The code differs." },
        },
      ],
    ],
    "The code differs.",
  ],
  [
    "forgets the job",
    [
      [202, { verificationId: "job" }],
      [404, { customCode: "job_not_found", message: "No such job." }],
    ],
    "No such job.",
  ],
  ["refuses it", [[400, { customCode: "bad", message: "Unsupported chain." }]], "Unsupported chain."],
  ["fails, with a text as error", [[500, { error: "Resource missing" }]], "Resource missing"],
  ["refuses it without a word", [[400, {}]], "refused without a reason"],
  ["answers with a page", [[502, "<html>"]], "127.0.0.1:PORT answers 502, not JSON"],
];

describe("A contract that is submitted to Sourcify", function () {
  this.timeout(30_000);
  for (const [what, answers, outcome] of conversations) {
    it(`gives "${outcome.trim()}" if Sourcify ${what}`, async () => {
      const left = [...answers];
      const asked: string[] = [];
      const { url } = await serveHttp(({ method, url: path }, response) => {
        asked.push(`${method} ${path}`);
        const [status, body] = left.shift() ?? [500, {}];
        if (status === 0) return void response.destroy();
        response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
      });
      const verified = verifyAtSourcify(submission, 84532, url);
      const said = await verified.catch((error: Error) => error);
      const isVerified = outcome.endsWith(", ");
      const expected = isVerified ? `${outcome}${url}/repo-ui/84532/${contractAddress}` : outcome;
      expect(said instanceof Error).to.equal(!isVerified);
      expect(said instanceof Error ? said.message : said).to.equal(
        expected.replace("127.0.0.1:PORT", new URL(url).host),
      );
      expect(asked).to.deep.equal([
        `POST /v2/verify/84532/${contractAddress}`,
        ...answers.slice(1).map(() => "GET /v2/verify/job"),
      ]);
    });
  }

  it("goes there with its sources, and with its transaction if that is known", async () => {
    const bodies: object[] = [];
    const { url } = await serveHttp(async (request, response) => {
      expect(request.headers["content-type"]).to.equal("application/json");
      bodies.push(JSON.parse(await text(request)));
      response.end(JSON.stringify({ customCode: "already_verified" }));
    });
    await verifyAtSourcify(submission, 84532, url);
    await verifyAtSourcify({ ...submission, creationTxHash: "0x34" }, 84532, url);
    const without = {
      stdJsonInput: compilerInput,
      compilerVersion: "0.8.28",
      contractIdentifier: "a.sol:A",
    };
    expect(bodies).to.deep.equal([without, { ...without, creationTransactionHash: "0x34" }]);
  });

  it("is lost if Sourcify cannot be reached, which is named with the proxy that the environment names", async () => {
    const host = `127.0.0.1:${await findFreePort()}`;
    setEnvironment({ HTTP_PROXY: "http://user:secret@proxy.example:3128", http_proxy: undefined });
    const { message } = await rejection(verifyAtSourcify(submission, 84532, `http://${host}`));
    expect(message).to.equal(
      `${host} cannot be reached: connect ECONNREFUSED ${host}; HTTP_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1`,
    );
  });

  it("is lost if Sourcify breaks off its answer, which is said with its name", async () => {
    const { url } = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => response.destroy());
    });
    const { message } = await rejection(verifyAtSourcify(submission, 84532, url));
    expect(message).to.match(new RegExp(`^${new URL(url).host} cannot be reached: `));
  });
});
