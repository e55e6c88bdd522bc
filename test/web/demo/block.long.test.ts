import { expect } from "chai";
import { useDemo } from "../../fixtures/web/demo.ts";
import { expectAccessible } from "../../fixtures/web/person.ts";
import { expectInSight, press } from "../../fixtures/web/screen.ts";

describe("A block that the demo waits for", function () {
  this.timeout(90_000);
  const { visit, ...demo } = useDemo();
  let stack: ReturnType<typeof demo.stack>;
  before(() => {
    stack = demo.stack();
  });

  const isMiningAtOnce = () => stack.provider.send("hardhat_getAutomine", []);

  it("shows the identity at pending before its block is mined", async () => {
    const { page, account } = await visit();
    await stack.setCredential(account, { followers: "2000" });
    await page.getByLabel(/^Hold the block back/).check();
    const before = await stack.provider.getBlockNumber();
    await press(page, "Claim with this wallet");
    await page.getByText("The identity is used before the block is mined").waitFor();
    expect(await stack.provider.getBlockNumber()).to.equal(before);
    const own = page.getByRole("region", { name: "With your own wallet or contract" });
    const outstanding = own.locator("button:not(.quiet, .small, .step):visible");
    expect(await outstanding.allInnerTexts()).to.deep.equal(["Mine the block"]);
    await expectInSight(page, outstanding);
    await expectAccessible(page, "demo-pending");
    await press(page, "Mine the block");
    await page.getByText("All the contract learns").waitFor();
    expect(await stack.provider.getBlockNumber()).to.equal(before + 1);
    expect(await isMiningAtOnce()).to.equal(true);
  });

  it("leaves a node alone that mines at intervals, and mines at once for whoever does not want to wait", async () => {
    await stack.provider.send("evm_setAutomine", [false]);
    await stack.provider.send("evm_setIntervalMining", [3_600_000]);
    try {
      const { page, account } = await visit();
      await stack.setCredential(account, { followers: "2000" });
      expect(await page.getByLabel(/^Hold the block back/).count()).to.equal(0);
      const before = await stack.provider.getBlockNumber();
      await press(page, "Claim with this wallet");
      await page.getByText("The identity is used before the block is mined").waitFor();
      await page.getByText("The node mines at intervals. Waiting for its next block").waitFor();
      expect(await stack.provider.getBlockNumber()).to.equal(before);
      await press(page, "Mine the block");
      await page.getByText("All the contract learns").waitFor();
      await press(page, "Start over");
      await page.getByText("Ready: the contracts and wallets are fresh.").waitFor();
      await press(page, "Claim with this wallet");
      await page.getByText("The node mines at intervals. Waiting for its next block").waitFor();
      // Anybody's block ends it.
      await stack.provider.send("evm_mine", []);
      await page.getByText("All the contract learns").waitFor();
      expect(await isMiningAtOnce()).to.equal(false);
      // What was held back on a chain that runs no more is nothing of this one's.
      await page.evaluate(`localStorage.setItem("heldBlock", "0x${"12".repeat(32)}")`);
      await page.reload();
      await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
      expect(await page.getByText("while a block was held back").count()).to.equal(0);
      expect(await isMiningAtOnce()).to.equal(false);
    } finally {
      await stack.provider.send("evm_setIntervalMining", [0]);
      await stack.provider.send("evm_setAutomine", [true]);
    }
  });

  it("releases a held block if the page is loaded again", async () => {
    const { page, account } = await visit();
    await stack.setCredential(account, { followers: "2000" });
    await page.getByLabel(/^Hold the block back/).check();
    await press(page, "Claim with this wallet");
    await page.getByRole("button", { name: "Mine the block" }).waitFor();
    expect(await isMiningAtOnce()).to.equal(false);
    await page.reload();
    await page.getByText("You left this page with a block held back. It has been mined.").waitFor();
    expect(await isMiningAtOnce()).to.equal(true);
    expect(await stack.provider.send("eth_getBlockByNumber", ["pending", false])).to.deep.include({
      transactions: [],
    });
    await page.reload();
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    expect(await page.getByText("while a block was held back").count()).to.equal(0);
  });

  it("does not claim to have released a block that somebody else released", async () => {
    const { page } = await visit();
    const { hash } = await stack.provider.send("eth_getBlockByNumber", ["0x0", false]);
    await page.evaluate(`localStorage.setItem("heldBlock", "${hash}")`);
    const before = await stack.provider.getBlockNumber();
    await page.reload();
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    expect(await page.getByText("while a block was held back").count()).to.equal(0);
    expect(await stack.provider.getBlockNumber()).to.equal(before);
  });

  it("releases a held block if another claim begins", async () => {
    const { page, account } = await visit();
    await stack.setCredential(account, { followers: "2000" });
    await page.getByLabel(/^Hold the block back/).check();
    await press(page, "Claim with this wallet");
    await page.getByRole("button", { name: "Mine the block" }).waitFor();
    await page.getByLabel("Contract", { exact: true }).selectOption("Ballot");
    await press(page, "Vote yes");
    await page.getByText("This wallet has not proven an account yet.").waitFor();
    expect(await isMiningAtOnce()).to.equal(true);
    const nonce = await stack.provider.getTransactionCount(account, "latest");
    expect(nonce).to.be.above(0);
  });

  it("is mined by the node itself, whatever happens to the page", async () => {
    const { page, account } = await visit();
    await stack.setCredential(account, { followers: "2000" });
    const asked: unknown[] = [];
    page.on("request", (request) => asked.push(request.postDataJSON()));
    await page.getByLabel(/^Hold the block back/).check();
    await press(page, "Claim with this wallet");
    await page.getByRole("button", { name: "Mine the block" }).waitFor();
    expect(asked).to.deep.include({
      ...{ jsonrpc: "2.0", id: 1 },
      ...{ method: "evm_setIntervalMining", params: [60_000] },
    });
    // Anybody's block ends it.
    await stack.provider.send("evm_mine", []);
    await page.getByText("All the contract learns").waitFor();
    expect(await isMiningAtOnce()).to.equal(true);
  });
});
