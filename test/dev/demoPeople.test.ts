import { join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import { listProven } from "../../packages/dev/demo/story.ts";
import { withDevelopmentStore } from "../../packages/dev/internal/credentials.ts";
import { proveForDemo } from "../../packages/dev/internal/demoPeople.ts";
import { startSandbox } from "../../packages/dev/sandbox/sandbox.ts";
import { withStore } from "../../packages/operator/operations/withStore.ts";
import { development } from "../../packages/protocol/development.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { startDevStack } from "../fixtures/tasks/devStack.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The demo's people", () => {
  it("have proven their accounts by the chain's time, on a chain that is a day ahead", async () => {
    const databaseUrl = `file:${join(await temporaryFolder(), "store.sqlite")}`;
    const { provider: node } = await network.create("identityLocal");
    const accounts = (await node.request({ method: "eth_accounts" })) as string[];
    const aDayAhead = Math.floor(Date.now() / 1_000) + 86_400;
    await node.request({ method: "evm_setNextBlockTimestamp", params: [aDayAhead] });
    await node.request({ method: "evm_mine" });
    const sandbox = await startSandbox({ node });
    onCleanup(() => sandbox.close());
    await withDevelopmentStore({ databaseUrl, chainId: 84532 }, async () => undefined);
    await proveForDemo({ node, databaseUrl, accounts, sandbox });
    const use = { databaseUrl, masterSecret: development.masterSecret };
    const [credential] = await withStore(use, (store) => store.list({}));
    expect(credential?.authenticatedAt).to.be.within(aDayAhead, aDayAhead + 600);
  });

  it("prove their accounts when somebody first opens the demo, and replace no other account", async () => {
    const { accounts, databaseUrl, demoUrl } = await startDevStack();
    const use = { databaseUrl, masterSecret: development.masterSecret };
    const read = () =>
      withStore(use, async (store) =>
        (await store.list({})).map(({ wallet, traits }) => [wallet, traits.followers]),
      );
    expect(await read()).to.deep.equal([]);

    const [laptop = "", bob = ""] = listProven(accounts).map(({ wallet }) => wallet);
    expect([laptop, bob]).to.deep.equal([accounts[2], accounts[3]]);
    const own = { wallet: bob, provider: "microblog", accountId: "7", traits: { followers: "7000" } };
    await withStore(use, (store) => store.set({ ...own, authenticatedAt: 1 }));
    for (const _time of [1, 2]) await (await fetch(`${demoUrl}/config.json`)).json();

    const stored = new Map((await read()) as [string, string][]);
    expect(stored.get(laptop)).to.equal("1200");
    expect(stored.get(bob)).to.equal("7000");
    expect(stored.has(accounts[1] ?? ""), "Alice's phone, with which the story begins").to.equal(false);
    // Each time that the story begins anew it has wallets of its own, of which the phone has proven nothing.
    expect([...stored.values()].filter((followers) => followers === "1200")).to.have.length(6 + 1);
    expect(stored.get(accounts.at(-1) ?? ""), "her phone where the story plays by itself").to.equal("1200");
  }).timeout(60_000);
});
