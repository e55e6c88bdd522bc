import { expect } from "chai";
import { messageAnswer, overview, proveAnswer } from "../../../protocol/verifyPage.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("What the service answers the verify page", () => {
  let stack: Awaited<ReturnType<typeof serveVerifyPage>>;
  before(async () => {
    stack = await serveVerifyPage();
  });
  const always = ["pageUrl", "chainId", "providers", "development", "since"];

  /** Reads the overview as the page does, and refuses a member that is not described. */
  async function read(visitor: Visitor, query = "") {
    const { body } = await visitor.overview(query);
    return overview.parse(body);
  }

  async function signedIn() {
    const visitor = new Visitor(stack.service.url);
    await visitor.signIn();
    return visitor;
  }

  it("is as described, to a person who has just come", async () => {
    const visitor = new Visitor(stack.service.url);
    expect(await read(visitor)).to.have.all.keys(always);
    const { returnTo } = await read(visitor, "redirect_uri=https://app.example/&state=s");
    expect(returnTo?.kind).to.equal("ask");
  });

  it("is as described, for the message to sign and the way to a provider", async () => {
    const visitor = new Visitor(stack.service.url);
    messageAnswer.parse((await visitor.post("message", { wallet: visitor.wallet.address })).body);
    await visitor.signIn();
    proveAnswer.parse((await visitor.act("prove", { provider: "microblog", query: "" })).body);
    const started = await read(visitor, `wallet=${visitor.wallet.address}`);
    expect(started).to.have.all.keys(...always, "askedWallet", "wallet", "accounts", "proof");
    expect(started.proof?.step).to.equal("started");
  });

  it("is as described, with an account that was proven, and once it is stored", async () => {
    const visitor = await signedIn();
    await visitor.prove("microblog", { action: "pick", pick: "1001" });
    const proven = await read(visitor);
    expect(proven).to.have.all.keys(...always, "wallet", "accounts", "proof");
    expect(proven.proof?.step).to.equal("proven");
    await visitor.act("keep");
    expect((await read(visitor)).accounts).to.have.length(1);
  });

  it("is as described, when a sign-in failed", async () => {
    const visitor = await signedIn();
    await visitor.prove("exchange", { action: "refuse" });
    expect((await read(visitor)).proof?.step).to.equal("failed");
  });

  it("has no body if the page needs nothing", async () => {
    const visitor = await signedIn();
    for (const path of ["keep", "discard", "erase", "sign-out"]) {
      if (path !== "erase") await visitor.prove("microblog", { action: "pick", pick: "1001" });
      const answer = await visitor.act(path, { provider: "microblog" });
      expect(answer, path).to.include({ status: 204, body: undefined });
    }
  });
});
