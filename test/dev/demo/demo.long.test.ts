import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import { expect } from "chai";
import { Contract, parseEther, Wallet } from "ethers";
import type { Page } from "playwright-core";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { expectKept } from "../../fixtures/keptText.ts";
import { serveStackWithDemo } from "../../fixtures/signer/stack.ts";
import { useDemo } from "../../fixtures/web/demo.ts";
import { expectAccessible, expectNoStrangers, openBrowser } from "../../fixtures/web/person.ts";
import { proveAccount } from "../../fixtures/web/proveAccount.ts";
import { arriveAt, expectInSight, press, short } from "../../fixtures/web/screen.ts";
import { proveAs } from "../../fixtures/web/story.ts";
import { expectWholeScreen } from "../../fixtures/web/wholeScreen.ts";

describe("A claim of one's own in the demo", function () {
  this.timeout(90_000);
  const { browser, visit, chooseUnusedAccount, ...demo } = useDemo();
  let stack: ReturnType<typeof demo.stack>;
  before(() => {
    stack = demo.stack();
  });

  /** From the demo through the verify page and the sandbox, and back, where the claim goes on by itself. */
  async function prove(page: Page, account: string, form: Record<string, string>): Promise<void> {
    await proveAccount(page, account, form);
    await page.waitForURL((url) => url.origin === stack.demo.url);
  }

  // Only the developer's part: earlier tests have changed the rest.
  const ownPart = "[aria-labelledby=own]";
  const own = (page: Page) => page.locator(ownPart);

  /** The address of the contract of one's own claim, which may have been opened for this tab. */
  const readContract = async (page: Page) => /eip155:\d+:(0x\w{40})/.exec(await readLog(page))?.[1] ?? "";

  /** The messages of the developer's own claim, step by step. */
  async function readLog(page: Page): Promise<string> {
    const read: string[] = [];
    for (const step of await own(page).locator(".step").all()) {
      await step.click();
      const [title, payload] = [await step.innerText(), await own(page).locator(".payload").innerText()];
      read.push([title, payload].map((text) => text.split(/\s+/).join(" ")).join(": "));
    }
    return read.join("\n");
  }

  it("leads through verification_not_found, the verify page and the sandbox to a mined claim", async () => {
    const person = await visit();
    const { page, account } = person;
    await expectAccessible(page, "demo-own-1-ready", ownPart);
    await press(page, "Claim with this wallet");
    await page.getByText("This wallet has no verified account yet.").waitFor();
    expect(await readLog(page)).to.include('"code": "verification_not_found"');
    await expectAccessible(page, "demo-own-2-not-found", ownPart);
    await press(page, "Verify your account");
    await prove(page, account, { id: "whole-journey", followers: "1200" });
    await page.getByText("Instead of the account, the contract sees:").waitFor();
    await expectAccessible(page, "demo-own-3-admitted", ownPart);
    const hash = await own(page).locator(".result code").innerText();
    const airdrop = new Contract(
      await readContract(page),
      [
        "function identityUsed(bytes32) view returns (bool)",
        "function balanceOf(address) view returns (uint256)",
      ],
      stack.provider,
    );
    expect(await airdrop.getFunction("identityUsed")(hash)).to.equal(true);
    expect(await airdrop.getFunction("balanceOf")(account)).to.equal(parseEther("100"));
    await expectKept("fixtures/web/screens/demo-log", () => readLog(page));
    await expectAccessible(page, "demo-own-4-travelled", ownPart);
    expectNoStrangers(person, [stack.demo.url, stack.service.url, stack.sandbox.url, stack.rpcUrl]);
  });

  it("says what each contract asks for before a wallet is chosen, and names accounts as the terminal does", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    for (const [contract, policy] of [
      ["Airdrop", "Asks for: Microblog · Followers: more than 1,000"],
      ["MembershipPass", "Asks for: Exchange · Membership active: yes"],
      ["Ballot", "Asks for: Short video · Followers: at least 100 · Videos: more than 0"],
      ["VerifiedVault", "Asks for: Photo social · Followers: at least 100"],
    ] as const) {
      await page.getByLabel("Contract", { exact: true }).selectOption(contract);
      await own(page).getByText(policy).waitFor();
    }
    await press(page, "Use the development wallet");
    const account = page.getByLabel("Wallet account", { exact: true });
    const whose = ["", " · Alice’s phone", " · Alice’s laptop", " · Bob’s phone"];
    const signers = await Promise.all(whose.map((_, i) => stack.provider.getSigner(i)));
    expect((await account.locator("option").allInnerTexts()).slice(0, 4)).to.deep.equal(
      whose.map((owner, i) => {
        return `${short(signers[i]?.address ?? "")} · --account ${i}${owner}`;
      }),
    );
  });

  it("lists a consumer of the project's own first, and claims there by its ABI alone", async () => {
    const contract = await stack.deployConsumer();
    stack.own.push({
      // As an example has it.
      name: "Ballot",
      address: await contract.getAddress(),
      abi: JSON.parse(contract.interface.formatJson()),
    });
    const { page, account } = await visit("Ballot").finally(() => stack.own.pop());
    await expectWholeScreen(page, "demo-project", ownPart);
    await stack.setCredential(account, { followers: "1200" });
    await press(page, "Call enroll");
    await page.getByText("Instead of the account, the contract sees:").waitFor();
    // They have a contract already.
    const onward = page.getByRole("region", { name: "Continue with your own contract" });
    await page.getByText("For developers").click();
    await onward.getByRole("link", { name: "Claim at your own contract: Ballot" }).click();
    await expectInSight(page, own(page).getByRole("heading").first());
  });

  it("claims at the project's own contract where it is by now, after it was deployed again", async () => {
    const [first, second] = [await stack.deployConsumer(), await stack.deployConsumer()];
    const abi = JSON.parse(first.interface.formatJson());
    const listed = { name: "Drop", address: await first.getAddress(), abi };
    stack.own.push(listed);
    try {
      const { page, account } = await visit("Drop");
      await stack.setCredential(account, { followers: "1200" });
      stack.own.splice(stack.own.indexOf(listed), 1, { ...listed, address: await second.getAddress() });
      await press(page, "Call enroll");
      await page.getByText("Instead of the account, the contract sees:").waitFor();
      expect(await readContract(page)).to.equal(await second.getAddress());
    } finally {
      stack.own.pop();
    }
  });

  it("knows the same person at the story's contract, whichever wallet came first", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    await press(page, "Use the development wallet");
    // A wallet of Alice's.
    const laptop = await (await stack.provider.getSigner(2)).getAddress();
    await page.getByLabel("Wallet account", { exact: true }).selectOption(laptop);
    const ledger = page.getByRole("region", { name: "What the contract knows" });
    await ledger.getByText("0 people").waitFor();
    await press(page, "Claim with this wallet");
    await own(page).getByText("Instead of the account").waitFor();
    const hash = await own(page).locator(".result code").innerText();
    await ledger.getByText("1 person").waitFor();
    await ledger.getByTitle(hash).waitFor();
    await press(page, "Claim with Alice’s phone");
    await proveAs(page, stack, "Alice");
    await page
      .getByText("Alice has already claimed from this contract. Start over to get a new one.")
      .waitFor();
    await ledger.getByTitle(hash).waitFor();
    await expectAccessible(page, "demo-known");
    await page.locator(".story").getByRole("button", { name: "Start over" }).click();
    await ledger.getByText("0 people").waitFor();
  });

  it("has the verify page sign in with the account for which the service refused", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    await page.getByRole("button", { name: "Claim with this wallet", disabled: true }).waitFor();
    await press(page, "Use the development wallet");
    // The node's first account owns the registry.
    const second = await (await stack.provider.getSigner(1)).getAddress();
    await page.getByText(second, { exact: true }).waitFor();
    const chosen = await chooseUnusedAccount({ page });
    await press(page, "Claim with this wallet");
    await press(page, "Verify your account");
    await page.getByText(`for wallet ${short(chosen)}`).waitFor();
    // Another account would be the wrong wallet.
    await press(page, "Sign in");
    await arriveAt(page, /^Sign in to/);
  });

  it("says what it means that the contract refuses a verification that was tampered with", async () => {
    const { page, account } = await visit();
    await stack.setCredential(account, { followers: "5000" });
    for (const [change, refusal, meaning] of [
      [{ signature: `0x${"11".repeat(65)}` }, "InvalidSignature()", /no signer can be recovered/],
      [
        { identityHash: `0x${"11".repeat(32)}` },
        /NotSigner\(0x\w{40}\)/,
        /not on the allowlist of the registry/,
      ],
    ] as const) {
      await page.route(`${stack.service.url}/v1/onchain_verifications`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...change } });
      });
      await press(page, "Claim with this wallet");
      await page.getByText(refusal).waitFor();
      await page.getByText(meaning).waitFor();
      await page.unrouteAll();
    }
  });

  it("counts a vote, finds the account too old for a new ballot, and goes on once it is proven again", async () => {
    const person = await visit("Ballot");
    const { page, account } = person;
    const form = { id: "too-old", follower_count: "500", video_count: "3" };
    await press(page, "Vote yes");
    await page.getByText("This wallet has no verified account yet.").waitFor();
    const strong = page.locator(".developers button:not(.quiet, .small, .step, .link)");
    expect(await strong.allInnerTexts(), "one strong button").to.deep.equal(["Verify your account"]);
    await press(page, "Verify your account");
    await prove(page, account, form);
    await own(page).getByText("Instead of the account").waitFor();
    // A round after the first has contracts of its own, which are younger than the proof.
    await press(page, "Start over");
    await page.getByText("Fresh contracts and wallets.").waitFor();
    await press(page, "Vote yes");
    await page.getByText("The account was verified too long ago for this contract.").waitFor();
    expect(await readLog(page)).to.include('"code": "needs_reauth"');
    expect(await readContract(page))
      .to.match(/^0x/)
      .and.not.equal(stack.consumers.Ballot);
    await expectAccessible(page, "demo-too-old", ownPart);
    await press(page, "Verify the account again");
    await prove(page, account, form);
    await own(page).getByText("Instead of the account").waitFor();
    await page.route(`${stack.service.url}/**`, (route) => route.abort());
    await press(page, "Vote yes");
    await own(page).getByText("That did not work.").waitFor();
    await expectWholeScreen(page, "demo-no-service", ownPart);
    await page.unrouteAll();
    expectNoStrangers(person, [stack.demo.url, stack.service.url, stack.sandbox.url, stack.rpcUrl]);
  });

  it("deposits by a batch of three calls that the wallet executes as one", async () => {
    const { page, account } = await visit("VerifiedVault");
    await own(page).getByRole("button", { name: "Deposit in one batch" }).click();
    await press(page, "Verify your account");
    const before = await stack.provider.getBlockNumber();
    await prove(page, account, { id: "batch", followers_count: "100" });
    await page.getByText("Instead of the account").waitFor();
    await expectKept("fixtures/web/screens/demo-log-batch", () => readLog(page));
    await expectAccessible(page, "demo-batch", ownPart);
    const vault = new Contract(
      await readContract(page),
      ["function balanceOf(address) view returns (uint256)"],
      stack.provider,
    );
    expect(await vault.getFunction("balanceOf")(account)).to.equal(parseEther("25"));
    expect(await stack.provider.getBlockNumber()).to.equal(before + 1);
  });

  it("says why the verify page sent a person back with nothing", async () => {
    const { page } = await visit();
    await press(page, "Claim with this wallet");
    await press(page, "Verify your account");
    await press(page, /^Go back to/);
    await page.getByText("You came back before finishing.").waitFor();
    await expectAccessible(page, "demo-cancelled", ownPart);
  });

  it("does not believe an address that says success but has another's state", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(`${stack.demo.url}/?success=true&state=guessed`);
    await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
    expect(await page.getByText("You came back").count()).to.equal(0);
    await page.getByText("For developers").click();
    expect(await page.getByRole("list", { name: "What was sent" }).count()).to.equal(0);
    // Nor does somebody who has left for the verify page, and is sent back by another's link.
    await press(page, "Claim with Alice’s phone");
    await page.waitForURL((url) => url.origin === stack.service.url);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
    await page.goto(`${stack.demo.url}/?success=true&state=guessed`);
    await press(page, "Claim with Bob’s phone");
    await page.waitForURL((url) => url.origin === stack.service.url);
    const claims = asked.filter((request) => request === `POST ${stack.url}/v1/onchain_verifications`);
    expect(claims).to.have.length(1);
  });

  it("says once why a person came back, and not again at the same address", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(stack.demo.url);
    await press(page, "Claim with Alice’s phone");
    await page.waitForURL((url) => url.origin === stack.service.url);
    const readState = () => new URL(page.url()).searchParams.get("state");
    const state = readState();
    const address = `${stack.demo.url}/?error=cancelled&state=${state}`;
    for (const times of [1, 0]) {
      await page.goto(address);
      await page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false }).waitFor();
      expect(await page.getByText("You came back before finishing.").count()).to.equal(times);
      expect(page.url()).to.equal(`${stack.demo.url}/`);
    }
    // Nobody who has seen one way back knows the next.
    await press(page, "Claim with Alice’s phone");
    await page.waitForURL((url) => url.origin === stack.service.url);
    expect(readState())
      .to.match(/^\d+(-\d+){3}$/)
      .and.not.equal(state);
  });

  it("works with a wallet of the browser that looks at the same chain", async () => {
    const wallet = Wallet.createRandom();
    const funder = await stack.provider.getSigner(0);
    await (await funder.sendTransaction({ to: wallet.address, value: parseEther("1") })).wait();
    const sender = wallet.connect(stack.provider);
    const person = await openBrowser(browser(), {
      wallet,
      rpcUrl: stack.rpcUrl,
      send: async (transaction) => (await sender.sendTransaction(transaction)).hash,
    });
    const { page } = person;
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    await press(page, "Connect Test wallet");
    await page.getByText(wallet.address, { exact: true }).waitFor();
    await press(page, "Claim with this wallet");
    await press(page, "Verify your account");
    await press(page, /^Test wallet/);
    await press(page, "Sign in");
    await page.getByText("Create a test user").click();
    await page.getByLabel(/^Account id/).fill("own-wallet");
    await page.getByLabel(/^Followers/).fill("4000");
    await press(page, "Continue as this user");
    await press(page, /^Store it and go back/);
    await page.getByText("Test wallet is connected.").waitFor();
    await page.getByText("Instead of the account").waitFor();
    expectNoStrangers(person, [stack.demo.url, stack.service.url, stack.sandbox.url, stack.rpcUrl]);
  });

  it("says what the wallet refused, and that the chain does not answer", async () => {
    const person = await openBrowser(browser(), { rpcUrl: stack.rpcUrl, found: "injected" });
    const { page } = person;
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    await press(page, "Connect This browser’s wallet");
    await page.getByText("This browser’s wallet is connected.").waitFor();
    person.rejects = true;
    await press(page, "Claim with this wallet");
    await page.getByText("You declined in your wallet.").waitFor();
    await expectAccessible(page, "demo-wallet-refused", ownPart);
    await page.route(`${stack.rpcUrl}/**`, (route) => route.abort());
    await press(page, "Claim with this wallet");
    await page.getByText("The local chain does not answer.").waitFor();
    await expectWholeScreen(page, "demo-no-chain", ownPart);
    await page.unrouteAll();
    Object.assign(person, { rejects: false, waitsFor: new Promise(() => {}) });
    await press(page, "Claim with this wallet");
    const waits = own(page).getByText("Waiting for the wallet to sign…");
    await waits.waitFor();
    await page.getByLabel("Contract", { exact: true }).selectOption("Ballot");
    expect(await waits.count(), "whatever is chosen meanwhile").to.equal(1);
    await person.tell("accountsChanged", []);
    await page.getByText("Connect a wallet first.").waitFor();
  });

  it("asks a wallet on another chain with the same id to add this one, and claims nothing with it there", async () => {
    const other = await serveLocalChain();
    const { page, asked } = await openBrowser(browser(), { rpcUrl: other.rpcUrl });
    await page.goto(stack.demo.url);
    await page.getByText("For developers").click();
    await press(page, "Connect Test wallet");
    await press(page, "Claim with this wallet");
    await page.getByText("Your wallet is on a different network.").waitFor();
    await expectAccessible(page, "demo-other-chain", ownPart);
    expect(asked.filter(({ method }) => method === "personal_sign")).to.deep.equal([]);
    const added = asked.find(({ method }) => method === "wallet_addEthereumChain");
    expect(added?.params).to.have.nested.property("[0].rpcUrls").that.deep.equals([stack.rpcUrl]);
    // There, it may be right by now.
    await page.reload();
    await page.getByText("Test wallet is connected.").waitFor();
    expect(await page.getByText("different network").count()).to.equal(0);
    await press(page, "Use another wallet");
    await page.reload();
    await page.getByText("Connect a wallet first.").waitFor();
  });

  it("copies a sent message, and leads to the documentation of how to write it", async () => {
    const context = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page } = await visit("Ballot", context);
    await press(page, "Vote yes");
    await page.getByText("The app writes a message").click();
    const read = () => page.evaluate("navigator.clipboard.readText()");
    await press(page, "Copy: Message");
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await read()).to.match(/wants you to sign in with your Ethereum account:\n0x/);
  });

  it("says what to forward to a browser on another machine, and goes on at another port when that is done", async () => {
    const forwarder = createServer((client) => {
      const server = connect(Number(new URL(stack.demo.url).port), "127.0.0.1");
      pipeline(client, server, client, () => undefined);
    }).listen(0, "127.0.0.1");
    onCleanup(() => forwarder.close());
    await once(forwarder, "listening");
    const forwarded = `http://localhost:${(forwarder.address() as AddressInfo).port}`;
    const others = [stack.rpcUrl, stack.url, stack.sandbox.url];
    const { page } = await openBrowser(browser(), { hasWallet: false });
    for (const url of others) await page.route(`${url}/**`, (route) => route.abort());
    // As on plain http elsewhere.
    await page.addInitScript(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
    await page.goto(forwarded);
    await page.getByRole("heading", { name: "The demo cannot reach the stack" }).waitFor();
    const reaches = (unreached: readonly string[]) =>
      page.getByText(
        `Your browser reaches this page, but not ${unreached.join(", ")}. If the stack has stopped, start it again: npm start, or in a project npx hardhat identity dev.`,
      );
    await reaches(others).waitFor();
    for (const more of ["The demo runs on another machine", "About", "Privacy"])
      await page.getByText(more, { exact: true }).click();
    await expectAccessible(page, "demo-not-connected", "body");
    const ports = [...others, stack.demo.url].map((url) => new URL(url).port);
    const forwards = ports.map((port) => `-L ${port}:127.0.0.1:${port}`);
    await page.getByText(`ssh -N ${forwards.join(" ")} user@host`, { exact: true }).waitFor();
    await press(page, "Copy: On your own machine");
    await page.getByText("This browser does not let the page copy.").waitFor();
    await page.unroute(`${stack.rpcUrl}/**`);
    await press(page, "Try again");
    await reaches(others.slice(1)).waitFor();
    await page.unrouteAll();
    await press(page, "Try again");
    await press(page, "Claim with Alice’s phone");
    await proveAs(page, { demo: { url: forwarded } }, "Alice");
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
  });

  it("goes on in a browser that keeps nothing for pages", async () => {
    const stack = await serveStackWithDemo({ hasPeople: true });
    const { page, complaints } = await openBrowser(browser(), { hasWallet: false });
    for (const storage of ["localStorage", "sessionStorage"])
      await page.addInitScript(
        `Object.defineProperty(globalThis, "${storage}", { get() { throw new DOMException("No.", "SecurityError"); } })`,
      );
    await page.goto(stack.demo.url);
    await press(page, "Claim with Alice’s phone");
    await proveAs(page, stack, "Alice");
    await press(page, "Claim with Alice’s phone");
    await page.getByText("Alice received 100 test tokens.", { exact: true }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it("has a last screen that leads on, though what this tab keeps is what fails", async () => {
    const { page } = await openBrowser(browser(), { hasWallet: false });
    await page.goto(stack.demo.url);
    const claims = page.getByRole("button", { name: "Claim with Alice’s phone", disabled: false });
    await claims.waitFor();
    await page.evaluate(
      `for (const name of Object.keys(sessionStorage)) sessionStorage[name] = '{"own":null}'`,
    );
    await page.reload();
    await arriveAt(page, "This page stopped working");
    await page.getByText("TypeError: ").waitFor();
    await expectAccessible(page, "demo-failed");
    await Promise.all([page.waitForEvent("load"), press(page, "Reload the page")]);
    await arriveAt(page, "This page stopped working");
    await press(page, "Start over");
    await claims.waitFor();
  });
});
