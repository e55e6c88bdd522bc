import { expect } from "chai";
import { network } from "hardhat";
import { catalogue, type ProviderName } from "../../../protocol/catalogue.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { ProviderFailure } from "../../../signer/internal/providers/failure.ts";
import { proveAccount, startAuthorization } from "../../../signer/internal/providers/oauth.ts";
import { connectors } from "../../../signer/providers/connectors.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { answerSandbox, ScriptedBrowser } from "../../fixtures/signer/scriptedBrowser.ts";

const providers = Object.keys(connectors) as ProviderName[];

describe("proving an account at a provider", () => {
  let sandbox: Sandbox;

  before(async () => {
    const { provider: node } = await network.create("identityLocal");
    sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
  });

  async function signIn(provider: ProviderName, form: Record<string, string>) {
    const client = sandbox.clients[provider];
    const redirectUri = `http://127.0.0.1:3000/verify/callback/${provider}`;
    const started = await startAuthorization({ provider, client, redirectUri });
    const browser = new ScriptedBrowser();
    const page = await browser.visit(started.url);
    const { url } = await answerSandbox(browser, page, form, (next) => next.pathname.startsWith("/verify/"));
    const { state, codeVerifier } = started;
    return { provider, client, callbackUrl: url, state, codeVerifier, timeout: 10 };
  }

  const failureOf = async (promise: Promise<unknown>): Promise<ProviderFailure> => {
    const outcome = await promise.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(outcome instanceof ProviderFailure)) throw new Error(`Not a provider failure: ${outcome}`);
    return outcome;
  };

  for (const provider of providers) {
    it(`reads the account id and every trait at ${provider}`, async () => {
      const [alice] = sandbox.accounts[provider].values();
      if (!alice) throw new Error("The sandbox has no account.");
      const input = await signIn(provider, { action: "pick", pick: alice.accountId });
      expect(await proveAccount(input)).to.deep.equal({ accountId: alice.accountId, traits: alice.traits });
      expect(Object.keys(alice.traits)).to.have.members([...(catalogue.get(provider)?.keys() ?? [])]);
    });
  }

  it("reads ids and counts above 2^53 without loss, and leaves out what the provider does not tell", async () => {
    const input = await signIn("microblog", {
      action: "invent",
      accountId: "9007199254740993",
      "trait.followers": "123456789012345678901234567890",
    });
    expect(await proveAccount(input)).to.deep.equal({
      accountId: "9007199254740993",
      traits: { followers: "123456789012345678901234567890" },
    });
  });

  it("says denied when the person refuses", async () => {
    const input = await signIn("exchange", { action: "refuse" });
    expect((await failureOf(proveAccount(input))).reason).to.equal("denied");
  });

  it("takes a code once", async () => {
    const input = await signIn("microblog", { action: "pick", pick: "1001" });
    await proveAccount(input);
    expect((await failureOf(proveAccount(input))).reason).to.equal("refused");
  });

  it("takes no code without the verifier of its own authorization", async () => {
    const input = await signIn("microblog", { action: "pick", pick: "1001" });
    const other = await signIn("microblog", { action: "pick", pick: "1001" });
    const mixed = { ...input, codeVerifier: other.codeVerifier };
    expect((await failureOf(proveAccount(mixed))).reason).to.equal("refused");
  });

  it("takes no answer to another authorization", async () => {
    const input = await signIn("microblog", { action: "pick", pick: "1001" });
    const other = await signIn("microblog", { action: "pick", pick: "1001" });
    const mixed = { ...input, state: other.state };
    expect((await failureOf(proveAccount(mixed))).reason).to.equal("bad_answer");
  });

  it("says refused when the client's secret is wrong, and names neither code nor secret", async () => {
    const input = await signIn("microblog", { action: "pick", pick: "1001" });
    const client = { ...input.client, clientSecret: "wrong-secret" };
    const failure = await failureOf(proveAccount({ ...input, client }));
    expect(failure.reason).to.equal("refused");
    const code = input.callbackUrl.searchParams.get("code") ?? "";
    expect(code).not.to.equal("");
    expect(failure.message).not.to.include(code).and.not.to.include("wrong-secret");
  });
});
