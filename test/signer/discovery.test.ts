import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "chai";
import { Wallet } from "ethers";
import { catalogue } from "../../protocol/catalogue.ts";
import { development } from "../../protocol/development.ts";
import { serviceErrors } from "../../protocol/errors.ts";
import { statement } from "../../protocol/signIn/statement.ts";
import { requestVerification, signedRequest } from "../fixtures/signIn.ts";
import { startStack } from "../fixtures/stack.ts";

interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly content: Content }>;
}
type Content = Record<string, { readonly schema: { readonly $ref: string } }>;
interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, { readonly required: string[] }> };
}

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
    const local = `http://127.0.0.1:${stack.signer.port}`;
    const document = await (await fetch(`${local}/.well-known/onchain-verifications`)).json();
    expect(document).to.include({
      endpoint: "https://identity.example/v1/onchain_verifications",
      verifyUrl: "https://verify.example/start?lang=en",
    });
    const consumer = await (await stack.deployConsumer()).getAddress();
    const { body } = await requestVerification(local, await signedRequest(Wallet.createRandom(), consumer));
    expect(body.verifyUrl).to.equal("https://verify.example/start?lang=en&providers=microblog");
  });
});

describe("GET /openapi.json", () => {
  async function fixture() {
    const stack = await startStack();
    const document = (await (await fetch(`${stack.url}/openapi.json`)).json()) as OpenApi;
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (formats as unknown as (ajv: Ajv2020) => void)(ajv);
    ajv.addSchema(document, "openapi");
    const problemsOf = (content: Content | undefined, type: string, value: unknown) => {
      const schema = content?.[type]?.schema;
      if (schema === undefined) throw new Error(`No ${type} among ${JSON.stringify(content)}`);
      const validate = ajv.compile({ $ref: `openapi${schema.$ref}` });
      validate(value);
      return validate.errors;
    };
    return { stack, document, problemsOf };
  }

  it("describes every response that the endpoints give", async () => {
    const { stack, document, problemsOf } = await fixture();
    const { wallet, address } = await stack.participate();
    const stranger = await stack.addWallet({ provider: "exchange", traits: {} });
    const path = "/v1/onchain_verifications";
    const discovery = "/.well-known/onchain-verifications";
    const ask = (at: string, init?: RequestInit) => fetch(`${stack.url}${at}`, init);
    const post = async (body: unknown) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(await body),
      });
    const answers = [
      ["post", path, await post(signedRequest(wallet, address))],
      ["post", path, await post({})],
      ["post", path, await post(signedRequest(stranger, address))],
      ["post", path, await ask(path, { method: "POST", body: "x" })],
      ["post", path, await ask(path, { method: "PUT" })],
      ["get", "/healthz", await ask("/healthz")],
      ["get", "/readyz", await ask("/readyz")],
      ["get", discovery, await ask(discovery)],
    ] as const;
    for (const [method, at, response] of answers) {
      const type = response.headers.get("content-type")?.split(";")[0] ?? "";
      const content = document.paths[at]?.[method]?.responses[response.status]?.content;
      expect(problemsOf(content, type, await response.json()), `${at} ${response.status}`).to.equal(null);
    }
    expect(new Set(answers.map(([, , { status }]) => status))).to.deep.equal(
      new Set([200, 400, 404, 405, 415]),
    );
  });

  it("describes requests as the service takes them", async () => {
    const { stack, document, problemsOf } = await fixture();
    const { wallet, address } = await stack.participate();
    const good = await signedRequest(wallet, address);
    const content = document.paths["/v1/onchain_verifications"]?.post?.requestBody?.content;
    for (const [body, accepted] of [
      [good, true],
      [{ ...good, extra: 1 }, false],
      [{ message: good.message }, false],
      [{ ...good, signature: "1234" }, false],
      [{ ...good, message: 5 }, false],
    ] as const) {
      expect(problemsOf(content, "application/json", body) === null).to.equal(accepted);
      expect((await requestVerification(stack.url, body)).status === 200).to.equal(accepted);
    }
  });

  it("has every status that an error can have", async () => {
    const { document } = await fixture();
    const responses = document.paths["/v1/onchain_verifications"]?.post?.responses ?? {};
    const statuses = Object.values(serviceErrors).map(({ status }) => String(status));
    expect(responses).to.have.all.keys("200", ...statuses);
  });
});
