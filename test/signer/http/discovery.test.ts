import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { Wallet } from "ethers";
import { catalogue } from "../../../packages/protocol/catalogue.ts";
import { development } from "../../../packages/protocol/development.ts";
import { serviceErrors } from "../../../packages/protocol/errors.ts";
import { statement } from "../../../packages/protocol/signIn/statement.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { readOpenApi } from "../../fixtures/signer/openApi.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startStack } from "../../fixtures/signer/stack.ts";

describe("GET /.well-known/onchain-verifications", () => {
  it("tells a client all that it needs", async () => {
    const { url, registry } = await startStack({ IDENTITY_VERIFICATION_LIFETIME: "90" });
    const response = await fetch(`${url}/.well-known/onchain-verifications`);
    expect(response.status).to.equal(200);
    const domain = { name: "SignerRegistry", version: "1", chainId: 84532, verifyingContract: registry };
    const body = (await response.json()) as { providers: object };
    expect(body).to.deep.equal({
      endpoint: `${url}/v1/onchain_verifications`,
      verifyUrl: `${url}/verify`,
      statement,
      lifetime: 90,
      messageMaxAge: 600,
      // The development secret's.
      testIdentity: "0xeac43180b0c906c4ac9896a4e369d8fc5732ffba948d6439e815c295ebfca840",
      chains: [{ chainId: 84532, registry, signer: development.signer, domain }],
      providers: body.providers,
    });
    expect(body.providers).to.have.all.keys([...catalogue.keys()]);
    const { microblog } = body.providers as Record<string, { conditions: Record<string, object> }>;
    expect(microblog?.conditions.followers).to.deep.equal({
      type: "int",
      operators: ["eq", "gt", "gte", "lt", "lte"],
    });
  });

  it("names the public addresses that the operator set", async () => {
    const stack = await startStack({
      IDENTITY_PUBLIC_URL: "https://identity.example/",
      IDENTITY_VERIFY_URL: "https://verify.example/start?lang=en",
    });
    expect(stack.url).to.equal("https://identity.example");
    const local = `http://127.0.0.1:${stack.service.port}`;
    const document = await (await fetch(`${local}/.well-known/onchain-verifications`)).json();
    expect(document).to.include({
      endpoint: "https://identity.example/v1/onchain_verifications",
      verifyUrl: "https://verify.example/start?lang=en",
    });
    const consumer = await (await stack.deployConsumer()).getAddress();
    const wallet = Wallet.createRandom();
    const { body } = await requestVerification(local, await signedRequest(wallet, consumer));
    const asked = `providers=microblog&wallet=${wallet.address}`;
    expect(body.verifyUrl).to.equal(`https://verify.example/start?lang=en&${asked}`);
  });
});

describe("GET /openapi.json", () => {
  const path = "/v1/onchain_verifications";
  let stack: Awaited<ReturnType<typeof startStack>>;
  let document: Awaited<ReturnType<typeof readOpenApi>>["document"];
  let problemsOf: Awaited<ReturnType<typeof readOpenApi>>["problemsOf"];

  before(async () => {
    stack = await startStack();
    ({ document, problemsOf } = await readOpenApi(stack.url));
  });

  const post = async (url: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  /** Holds an answer against what the document says of it; gives its status, and its code when it is a problem. */
  async function expectDescribed(method: string, at: string, response: Response) {
    const { status } = response;
    const [type = ""] = response.headers.get("content-type")?.split(";") ?? [];
    const body = type.endsWith("json") ? await response.json() : await response.text();
    const responses = document.paths[at]?.[method]?.responses ?? {};
    const described = status in responses ? String(status) : "default";
    const promised = Object.keys(responses[described]?.headers ?? {});
    expect(promised, `${method} ${at} ${status}`).to.include("x-request-id");
    if (response.headers.has("retry-after") && described !== "default") {
      expect(promised, `${method} ${at} ${status}`).to.include("Retry-After");
    }
    expect(
      problemsOf(body, "paths", at, method, "responses", described, "content", type, "schema"),
      `${method} ${at} ${status} ${JSON.stringify(body)}`,
    ).to.equal(undefined);
    return {
      status,
      code: type === "application/problem+json" ? (body as { code: string }).code : undefined,
    };
  }

  it("describes every endpoint's answers", async () => {
    const unready = await startStack(ownSecrets());
    const asked: string[] = [];
    for (const [at, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        asked.push(`${method} ${at}`);
        if (method !== "get") continue;
        const { status } = await expectDescribed(method, at, await fetch(`${stack.url}${at}`));
        expect(status, at).to.equal(200);
      }
    }
    expect(asked).to.have.members([
      `post ${path}`,
      "get /.well-known/onchain-verifications",
      "get /healthz",
      "get /readyz",
      "get /metrics",
      "get /openapi.json",
    ]);
    const { status } = await expectDescribed("get", "/readyz", await fetch(`${unready.url}/readyz`));
    expect(status).to.equal(503);
    const { wallet, address } = await stack.participate();
    const verified = await post(stack.url, await signedRequest(wallet, address));
    expect((await expectDescribed("post", path, verified)).status).to.equal(200);
  });

  it("describes every problem", async () => {
    const found: (string | undefined)[] = [];
    const expectProblem = async (response: Response, method = "post", at = path) => {
      found.push((await expectDescribed(method, at, response)).code);
    };
    const { wallet, address, consumer } = await stack.participate();
    const good = await signedRequest(wallet, address);
    const refuse = async (body: unknown, url = stack.url) => expectProblem(await post(url, body));

    await refuse({});
    await refuse("x".repeat(20_000));
    await expectProblem(await fetch(`${stack.url}${path}`, { method: "POST", body: "{}" }));
    await expectProblem(await fetch(`${stack.url}${path}`, { method: "PUT" }));
    await expectProblem(await fetch(`${stack.url}/healthz`, { method: "PUT" }), "get", "/healthz");
    await expectProblem(await fetch(`${stack.url}/v1/nothing`));
    await refuse(await signedRequest(wallet, `0x${"12".repeat(20)}`));
    await refuse(await signedRequest(Wallet.createRandom(), address));
    const odd = await stack.deployConsumer({ conditions: [{ name: "fame", op: "gt", value: "1" }] });
    await refuse(await signedRequest(wallet, await odd.getAddress()));
    const high = await stack.deployConsumer({ conditions: [{ name: "followers", op: "gt", value: "9999" }] });
    await refuse(await signedRequest(wallet, await high.getAddress()));
    await (await consumer.getFunction("setCutoffBlock")(10n ** 12n)).wait();
    await refuse(good);

    const env = { IDENTITY_RPC_URL: stack.rpcUrl, IDENTITY_REGISTRY: stack.registry };
    const limited = await startTestSigner({ ...env, IDENTITY_RATE_LIMIT: "1" });
    await post(limited.url, good);
    await refuse(good, limited.url);
    const proxy = await serveProxy(stack.rpcUrl);
    const cutOff = await startTestSigner({ ...env, IDENTITY_RPC_URL: proxy.url });
    proxy.behaviour = { respond: (response) => response.destroy() };
    await refuse(good, cutOff.url);
    const silent = await serveProxy(stack.rpcUrl);
    const crowded = await startTestSigner({ ...env, IDENTITY_RPC_URL: silent.url });
    silent.behaviour = { respond: () => undefined };
    const crowd = Array.from({ length: 300 }, () => post(crowded.url, good));
    await Promise.race(crowd);
    await silent.close();
    for (const response of await Promise.all(crowd)) await expectProblem(response);
    const unready = await startStack(ownSecrets());
    const unlisted = await unready.participate();
    await refuse(await signedRequest(unlisted.wallet, unlisted.address), unready.url);
    const broken = await startStack();
    const participant = await broken.participate();
    const database = new DatabaseSync(broken.service.config.databaseUrl.slice("file:".length));
    const request = await signedRequest(participant.wallet, participant.address);
    for (const damage of ["update credentials set sealed = 'tampered'", "drop table credentials"]) {
      database.exec(damage);
      await refuse(request, broken.url);
    }
    database.close();

    expect(new Set(found)).to.deep.equal(new Set(Object.keys(serviceErrors)));
  });

  it("narrows a problem's codes by its status, and leaves it open for further members", () => {
    const { status, ...rest } = { status: 429, code: "rate_limited", title: "", detail: "", message: "" };
    const own = { ...rest, type: "urn:of-a-test", later: true };
    const place = [
      "paths",
      path,
      "post",
      "responses",
      "429",
      "content",
      "application/problem+json",
      "schema",
    ];
    expect(problemsOf({ ...own, status }, ...place)).to.equal(undefined);
    expect(problemsOf({ ...own, status: 404 }, ...place)).not.to.equal(undefined);
    expect(problemsOf({ ...own, status, code: "not_found" }, ...place)).not.to.equal(undefined);
  });

  it("says nothing of a member that no answer has, and names each part once", async () => {
    const answer = await (await fetch(`${stack.url}/healthz`)).json();
    expect(problemsOf({ ...(answer as object), extra: 1 }, "components", "schemas", "Health")).not.to.equal(
      undefined,
    );
    const parts = Object.keys(document.components.schemas);
    const named = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, n]) => n),
    );
    expect([...named]).to.have.members(parts);
  });
});
