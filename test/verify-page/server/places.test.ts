import { expect } from "chai";
import { Wallet } from "ethers";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { ownSecrets } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("The verify page's cookies, at a service with the same master secret", () => {
  const page = "http://127.0.0.1:5003/verify";
  let first: Visitor;
  let environment: { IDENTITY_RPC_URL: string; IDENTITY_REGISTRY: string; [name: string]: string };

  before(async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    environment = {
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: await registry.getAddress(),
      ...ownSecrets(),
      IDENTITY_VERIFY_URL: page,
    };
    first = await visit({});
  });

  async function visit(other: Record<string, string>): Promise<Visitor> {
    const { port } = await startTestSigner({ ...environment, ...other });
    const visitor = new Visitor(`http://127.0.0.1:${port}`, first?.wallet, first?.browser);
    visitor.origin = new URL(other.IDENTITY_VERIFY_URL ?? page).origin;
    return visitor;
  }

  const elsewhere = [
    ["another chain", { IDENTITY_CHAIN_ID: "8453" }],
    ["another registry", { IDENTITY_REGISTRY: Wallet.createRandom().address }],
    ["another page", { IDENTITY_VERIFY_URL: "http://127.0.0.1:5004/verify" }],
    ["another page of the same host", { IDENTITY_VERIFY_URL: "http://127.0.0.1:5003/other/verify" }],
  ] as const;

  it("open no session of another chain, registry or page", async () => {
    await first.signIn();
    for (const [what, other] of elsewhere) {
      const second = await visit(other);
      expect((await second.overview()).body.wallet, what).to.equal(undefined);
    }
    expect((await first.overview()).body.wallet).to.equal(first.wallet.address);
  });

  it("take no signature over a message that was made for another chain, registry or page", async () => {
    const message = await first.askMessage();
    for (const [what, other] of elsewhere) {
      const second = await visit(other);
      // As the other service would word it, had it made the message.
      const pageUrl = "IDENTITY_VERIFY_URL" in other ? other.IDENTITY_VERIFY_URL : page;
      const chainId = "IDENTITY_CHAIN_ID" in other ? other.IDENTITY_CHAIN_ID : "84532";
      const worded = message
        .replaceAll(page, pageUrl)
        .replaceAll(new URL(page).host, new URL(pageUrl).host)
        .replace("Chain ID: 84532", `Chain ID: ${chainId}`);
      const signature = await first.wallet.signMessage(worded);
      const { status, body } = await second.act("link", { signature });
      expect([status, body?.code], what).to.deep.equal([401, "not_signed_in"]);
    }
  });
});
