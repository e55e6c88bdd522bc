import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Contract, parseEther } from "ethers";
import type { Page } from "playwright-core";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { serveStackWithDemo } from "../fixtures/signer/stack.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../fixtures/web/person.ts";
import { proveAccount } from "../fixtures/web/proveAccount.ts";
import { serveFolder } from "../fixtures/web/serveFolder.ts";

describe("The example app, in a project of somebody else's", function () {
  this.timeout(300_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveStackWithDemo>>;
  let app: string;
  before(async () => {
    stack = await serveStackWithDemo();
    app = await buildAndServe();
  });

  /** Its own scripts check its types and build it from the packed packages, with the addresses in `.env`. */
  async function buildAndServe(): Promise<string> {
    const { folder } = freshProject();
    cpSync(join(root, "examples/app"), folder, { recursive: true });
    const env = {
      VITE_RPC_URL: stack.rpcUrl,
      VITE_SERVICE_URL: stack.service.url,
      VITE_AIRDROP: stack.consumers.Airdrop,
      VITE_VAULT: stack.consumers.VerifiedVault,
      VITE_DEVELOPMENT_WALLET: "true",
    };
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, ".env"), lines.join(""));
    const built = promisify(execFile)("npm", ["run", "build"], { cwd: folder, env: cleanEnvironment() });
    await built.catch(({ stdout, stderr }) => expect.fail(`${stdout}${stderr}`));
    const policy = [
      "default-src 'self'",
      `connect-src 'self' ${stack.rpcUrl} ${stack.service.url}`,
      "img-src 'self' data:",
    ];
    return `${await serveFolder(join(folder, "dist"), { "content-security-policy": policy.join("; ") })}/`;
  }

  const accountAt = async (index: number) => (await stack.provider.getSigner(index)).getAddress();
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  /** Somebody on the page. */
  async function open(wallet: Parameters<typeof openBrowser>[1]) {
    const person = await openBrowser(browser(), wallet);
    const { page } = person;
    const errors: string[] = [];
    page.on("console", (message) => {
      // The browser's own word for a refusal of the service.
      const isRefusal = message.text().startsWith("Failed to load resource: the server responded with");
      if (message.type() === "error" && !isRefusal) errors.push(message.text());
    });
    await page.goto(app);
    return Object.assign(person, { errors });
  }

  /** Somebody who has connected the development wallet, with one of its accounts. */
  async function visit(account: string) {
    const person = await open({ hasWallet: false });
    await press(person.page, "Connect Development wallet");
    await chooseAccount(person.page, account);
    return person;
  }

  /** Has the wallet give the page other accounts, as a person does in the wallet. */
  const switchTo = (page: Page, ...accounts: string[]) =>
    page.evaluate(`ethereum.chooseAccounts(${JSON.stringify(accounts)})`);

  const chooseAccount = (page: Page, account: string) =>
    page.getByLabel("Account of Development wallet").selectOption(account);

  async function expectBack(page: Page, account: string) {
    await page.getByText("Your account is verified. Continue: Claim.").waitFor();
    expect(page.url()).to.equal(app);
    await page.getByLabel("Account of Development wallet").waitFor();
    expect(await page.getByLabel("Account of Development wallet").inputValue()).to.equal(account);
  }

  it("leads to the verify page and back to a claim, and refuses the person's second wallet in words", async () => {
    const [first, second] = await Promise.all([accountAt(2), accountAt(3)]);
    const person = await visit(first);
    const { page, errors } = person;
    await expectAccessible(page, "app-1-connected");
    await press(page, "Claim");
    await press(page, "Verify it");
    await proveAccount(page, first, { id: "app", followers: "1200" });
    await expectBack(page, first);
    await expectAccessible(page, "app-2-back");
    await press(page, "Claim");
    await page.getByText("Claim: done.").waitFor();
    const abi = ["function balanceOf(address) view returns (uint256)"];
    const airdrop = new Contract(stack.consumers.Airdrop ?? "", abi, stack.provider);
    expect(await airdrop.getFunction("balanceOf")(first)).to.equal(parseEther("100"));

    await chooseAccount(page, second);
    await press(page, "Claim");
    await press(page, "Verify it");
    await proveAccount(page, second, { id: "app", followers: "1200" });
    await expectBack(page, second);
    await press(page, "Claim");
    await page.getByText("You have claimed before, with this wallet or another one.").waitFor();
    await expectAccessible(page, "app-3-refused");
    expect(errors).to.deep.equal([]);
    expectNoStrangers(person, [new URL(app).origin, stack.service.url, stack.sandbox.url, stack.rpcUrl]);
  });

  it("says why somebody is back without a proven account, and believes nobody but whom it sent", async () => {
    const account = await accountAt(4);
    const { page, errors } = await visit(account);
    await press(page, "Claim");
    await press(page, "Verify it");
    await page.getByRole("button", { name: /^Go back to/ }).click();
    await page.getByText("You came back without a verified account (cancelled).").waitFor();
    expect(await page.getByLabel("Account of Development wallet").inputValue()).to.equal(account);

    await press(page, "Claim");
    await press(page, "Verify it");
    await page.getByRole("button", { name: /^Go back to/ }).waitFor();
    const state = new URL(page.url()).searchParams.get("state");
    await page.goto(`${app}?success=true&state=somebody-else`);
    await page.getByLabel("Account of Development wallet").waitFor();
    expect(page.url()).to.equal(app);
    expect(await page.getByText("Your account is verified.").isVisible()).to.equal(false);
    // It still awaits the one that it sent.
    await page.goto(`${app}?success=true&state=${state}`);
    await expectBack(page, account);
    expect(errors).to.deep.equal([]);
  });

  it("lets nobody claim without a wallet, also after one has declined or disconnected", async () => {
    const { page, errors } = await open({ hasWallet: false });
    const claim = page.getByRole("button", { name: "Claim", exact: true });
    const expectDisconnected = async () => {
      await page.getByRole("button", { name: "Connect Development wallet" }).waitFor();
      await page.getByText("Connect your wallet first.").first().waitFor();
      expect(await claim.isDisabled()).to.equal(true);
    };
    await expectDisconnected();
    await expectAccessible(page, "app-4-disconnected");
    await stack.provider.send("identity_configureWallet", [{ rejectNext: true }]);
    await press(page, "Connect Development wallet");
    await page.getByText("The wallet did not connect.").waitFor();
    await expectDisconnected();

    await press(page, "Connect Development wallet");
    await page.getByLabel("Account of Development wallet").waitFor();
    expect(await claim.isEnabled()).to.equal(true);
    await press(page, "Disconnect");
    await expectDisconnected();

    await press(page, "Connect Development wallet");
    await page.getByLabel("Account of Development wallet").waitFor();
    await switchTo(page);
    await expectDisconnected();
    expect(errors).to.deep.equal([]);
  });

  it("shows nothing of one account for another, and names the account that was proven", async () => {
    const [proven, another] = await Promise.all([accountAt(7), accountAt(8)]);
    const { page, errors } = await visit(proven);
    await press(page, "Claim");
    await press(page, "Verify it");
    await proveAccount(page, proven, { id: "another", followers: "1200" });
    await expectBack(page, proven);

    await switchTo(page, another);
    await page.getByText(`You verified your account for ${proven}. Choose that account`).waitFor();
    await press(page, "Claim");
    await page.getByText("First verify your account.").waitFor();

    await switchTo(page, proven);
    await page.getByText("Your account is verified. Continue: Claim.").waitFor();
    expect(await page.getByText("First verify your account.").isVisible()).to.equal(false);
    await press(page, "Claim");
    await page.getByText("Claim: done.").waitFor();
    await switchTo(page, another);
    await page.getByText("First verify your account.").waitFor();
    await switchTo(page, another, proven);
    expect(await page.getByLabel("Account of Development wallet").inputValue()).to.equal(proven);
    await press(page, "Disconnect");
    await page.getByText("Connect your wallet first.").first().waitFor();
    expect(await page.getByText("Your account is verified. Continue: Claim.").isVisible()).to.equal(true);
    expect(errors).to.deep.equal([]);
  });

  it("says that the person declined, does not meet the conditions, or is on another chain", async () => {
    const person = await open({ rpcUrl: stack.rpcUrl });
    const { page, errors } = person;
    // This wallet has been connected before.
    await page.getByLabel("Account of Test wallet").waitFor();
    person.rejects = true;
    await press(page, "Claim");
    await page.getByText("You declined in your wallet. Nothing was sent.").waitFor();
    await expectAccessible(page, "app-5-declined");

    person.rejects = false;
    const prove = (followers: string) =>
      stack.store.set({
        provider: "microblog",
        accountId: "few",
        traits: { followers },
        wallet: person.wallet.address,
        authenticatedAt: Math.floor(Date.now() / 1000),
      });
    await prove("1000");
    await press(page, "Claim");
    await page.getByText(/^The microblog account does not meet the condition/).waitFor();

    await prove("1001");
    person.chainId = 1;
    await press(page, "Claim");
    await page.getByText("The wallet is on chain 1; this needs chain 84532.").waitFor();
    expect(errors).to.deep.equal([]);
  });

  it("deposits in one batch, once a person", async () => {
    const [first, second] = await Promise.all([accountAt(5), accountAt(6)]);
    const authenticatedAt = Math.floor(Date.now() / 1000);
    for (const wallet of [first, second]) {
      const account = {
        provider: "photo_social",
        accountId: "depositor",
        traits: { followers_count: "120" },
      };
      await stack.store.set({ ...account, wallet, authenticatedAt });
    }
    const { page, errors } = await visit(first);
    await press(page, "Deposit");
    await page.getByText("Deposit: done.").waitFor();
    const abi = ["function balanceOf(address) view returns (uint256)"];
    const vault = new Contract(stack.consumers.VerifiedVault ?? "", abi, stack.provider);
    expect(await vault.getFunction("balanceOf")(first)).to.equal(25n * 10n ** 18n);

    await chooseAccount(page, second);
    await press(page, "Deposit");
    await page.getByText("You have a position already, with this wallet or another one.").waitFor();
    expect(errors).to.deep.equal([]);
  });
});
