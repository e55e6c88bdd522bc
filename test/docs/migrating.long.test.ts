import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, createWalletClient, custom, type WalletClient } from "viem";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { rejection } from "../fixtures/rejection.ts";
import { serveVerifyPage } from "../fixtures/signer/stack.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

type Claim = (
  wallet: WalletClient,
  account: Address,
  consumer: Address,
  baseUrl: string,
) => Promise<{ proveAt?: string; hash?: string }>;

describe("The guide to migrating", function () {
  this.timeout(120_000);

  async function fixture() {
    const stack = await serveVerifyPage();
    const project = freshProject();
    project.write("claim.ts", readFileSync(join(root, "examples/migrated/claim.ts"), "utf8"));
    const { claim }: { claim: Claim } = await import(join(project.folder, "claim.ts"));
    const consumer = await stack.deployConsumer();
    const wallet = createWalletClient({ transport: custom(stack.wallet) });
    const account = stack.user as Address;
    return {
      stack,
      account,
      consumer,
      claim: async () => claim(wallet, account, (await consumer.getAddress()) as Address, stack.url),
    };
  }

  it("has an app that is led to the page where an account is proven, and then claims", async () => {
    const { stack, account, consumer, claim } = await fixture();

    const { proveAt = "" } = await claim();
    const page = await fetch(proveAt);
    expect(page.status).to.equal(200);
    expect(page.headers.get("content-type")).to.match(/^text\/html/);

    // An account that was proven before the contract's cutoff has to be proven again.
    await stack.setCredential(account, { followers: "1200" }, 1_600_000_000);
    await (await consumer.getFunction("setCutoffBlock")(1)).wait();
    expect(await claim()).to.deep.equal({ proveAt });

    await stack.setCredential(account, { followers: "1200" });
    const { hash } = await claim();
    expect(await stack.provider.waitForTransaction(hash ?? "")).to.include({ status: 1 });
  });

  it("has an app that shows the message of a refusal", async () => {
    const { stack, account, claim } = await fixture();
    await stack.setCredential(account, { followers: "7" });
    expect(await rejection(claim()))
      .to.have.property("message")
      .that.matches(/^The microblog account/);
  });
});
