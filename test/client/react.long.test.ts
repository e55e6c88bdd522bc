import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { build } from "esbuild";
import { type TransactionRequest, toBeHex, Wallet } from "ethers";
import type { Page } from "playwright-core";
import { readSnippetFile, readSnippets } from "../fixtures/markdown.ts";
import { freshProject } from "../fixtures/packages/freshProject.ts";
import { serveStackWithDemo } from "../fixtures/signer/stack.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { useBrowser } from "../fixtures/web/browser.ts";
import { openBrowser } from "../fixtures/web/person.ts";
import { serveFolder } from "../fixtures/web/serveFolder.ts";

const guide = "docs/react.md";
const picture = join(root, "docs/images/react-button.png");

const page =
  '<!doctype html><html lang="en"><title>App</title><main><h1>App</h1><div id="app"></div></main><script src="app.js"></script>';

/** An app around the guide's button, in strict mode, in which React does everything twice that may be done twice. */
const app = `
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ClaimButton } from "./ClaimButton.tsx";

const [account] = (await window.ethereum.request({ method: "eth_requestAccounts" })) as string[];
const place = document.getElementById("app");
if (place !== null) createRoot(place).render(<StrictMode><ClaimButton account={account} /></StrictMode>);
`;

/** A button in each state, with services and wallets that leave it there. */
const gallery = `
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { IdentityError } from "@hardhat-identity/client";
import { type Send, VerifyButton } from "@hardhat-identity/client/react";

const never = new Promise<never>(() => {});
const wallet = { request: async () => "0x" + "11".repeat(65) };
const slow = { request: () => never };
const declines = { request: async () => { throw Object.assign(new Error("No."), { code: 4001 }); } };
const good = { identityHash: "0x" + "12".repeat(32), expiration: 4102444800, signature: "0x" + "34".repeat(65) };
const answers: Record<string, readonly [number, object]> = {
  "https://good.example": [200, good],
  "https://account.example": [404, { code: "verification_not_found", verifyUrl: "https://account.example/verify" }],
  // The person verifies it elsewhere, after this page has asked once.
  "https://elsewhere.example": [404, { code: "verification_not_found", verifyUrl: "https://elsewhere.example/verify" }],
  "https://conditions.example": [400, { code: "conditions_not_satisfied", detail: "The microblog account does not meet the condition followers gt 1000." }],
};
globalThis.fetch = async (url) => {
  const { origin } = new URL(String(url));
  const [status, body] = answers[origin] ?? [500, {}];
  if (origin === "https://elsewhere.example") answers[origin] = [200, good];
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
};
const account = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const consumer = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
const used: Send = async () => {
  throw new IdentityError("client_reverted", "The call would revert.", { revertData: "0x70d9ae05" + "12".repeat(32) });
};
const lost: Send = async () => {
  throw new IdentityError("client_outcome_unknown", "The wallet did not answer.");
};
const none: Send = async () => undefined;
const states = [
  { name: "disconnected", account: undefined, wallet, service: "good", send: none },
  { name: "ready", account, wallet, service: "good", send: none },
  { name: "signing", account, wallet: slow, service: "good", send: none },
  { name: "needs-account", account, wallet, service: "account", send: none },
  { name: "sending", account, wallet, service: "good", send: () => never },
  { name: "done", account, wallet, service: "good", send: none },
  { name: "unknown", account, wallet, service: "good", send: lost },
  { name: "needs-conditions", account, wallet, service: "conditions", send: none },
  { name: "refused, by the person", account, wallet: declines, service: "good", send: none },
  { name: "refused, by the contract", account, wallet, service: "good", send: used },
];
const place = document.getElementById("app");
if (place !== null) createRoot(place).render(
  <StrictMode>
    {states.map(({ name, account, wallet, service, send }) => (
      <section key={name}>
        <code>{name}</code>
        <VerifyButton account={account} wallet={wallet} consumer={consumer} chainId={84532}
          baseUrl={"https://" + service + ".example"} send={send} />
      </section>
    ))}
  </StrictMode>,
);
/** The same consumer's address on two chains, and the same account in two spellings. */
function TwoChains() {
  const [chainId, choose] = useState(84532);
  const [spelled, spell] = useState(account);
  return (
    <>
      <button type="button" onClick={() => choose(8453)}>Change the chain</button>
      <VerifyButton account={spelled} wallet={wallet} consumer={consumer} chainId={chainId}
        baseUrl="https://good.example" send={none} />
      <button type="button" onClick={() => spell(account.toLowerCase())}>Spell the account in lower case</button>
    </>
  );
}
const chains = document.querySelector("main")?.appendChild(document.createElement("div"));
if (chains) createRoot(chains).render(<TwoChains />);
const other = document.querySelector("main")?.appendChild(document.createElement("div"));
if (other) createRoot(other).render(
  <VerifyButton account={account} wallet={wallet} consumer={consumer} chainId={84532}
    baseUrl="https://elsewhere.example" send={none} labels={{ "needs-account": "Verify elsewhere" }} leave={() => {}} />,
);
`;

const environment = `
import type { Eip1193Connection } from "@hardhat-identity/client";
declare global {
  interface Window { ethereum: Eip1193Connection }
}
`;

describe("The React entry of the client, in a project of somebody else's", function () {
  this.timeout(300_000);
  const browser = useBrowser();
  let stack: Awaited<ReturnType<typeof serveStackWithDemo>>;
  let project: ReturnType<typeof freshProject>;
  before(async () => {
    stack = await serveStackWithDemo();
    project = freshProject();
    const button = readSnippetFile(guide, "src/ClaimButton.tsx")
      .replace("0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", stack.consumers.Airdrop ?? "")
      .replace("https://identity.example", stack.url);
    const files = {
      "ClaimButton.tsx": button,
      "app.tsx": app,
      "gallery.tsx": gallery,
      "env.d.ts": environment,
    };
    for (const [name, text] of Object.entries(files)) project.write(`src/${name}`, text);
    project.write("src/ClaimForm.tsx", readSnippetFile(guide, "src/ClaimForm.tsx"));
    project.write(
      "tsconfig.json",
      readFileSync(join(root, "examples/app/tsconfig.json"), "utf8").replace(
        /"types": .*\n/,
        '"types": [],\n',
      ),
    );
  });

  /** Bundles a page for one of the two Reacts, and serves it. */
  async function serve(name: string, react: "18" | "19"): Promise<string> {
    const alias = react === "18" ? { react: "react-18", "react-dom": "react-dom-18" } : {};
    const folder = `dist-${name}-${react}`;
    const { metafile } = await build({
      absWorkingDir: project.folder,
      entryPoints: [`src/${name}.tsx`],
      bundle: true,
      format: "esm",
      jsx: "automatic",
      alias,
      metafile: true,
      // The browser complains of what only the development build sees.
      define: { "process.env.NODE_ENV": '"development"' },
      outfile: join(folder, "app.js"),
    });
    const reacts = new Set(
      Object.keys(metafile.inputs).flatMap(
        (file) => /node_modules\/(react(?:-dom)?(?:-18)?)\//.exec(file)?.[1] ?? [],
      ),
    );
    expect([...reacts].sort()).to.deep.equal(
      react === "18" ? ["react-18", "react-dom-18"] : ["react", "react-dom"],
    );
    const style = name === "gallery" ? `<style>${galleryStyle}</style>` : "";
    project.write(join(folder, "index.html"), page.replace("<script", `${style}<script type="module"`));
    return `${await serveFolder(join(project.folder, folder))}/`;
  }

  /** A person with a wallet of their own, who can pay for gas. */
  async function visit(url: string) {
    const wallet = Wallet.createRandom(stack.provider);
    await stack.provider.send("hardhat_setBalance", [wallet.address, toBeHex(10n ** 18n)]);
    const send = async ({ from: _, chainId: __, ...transaction }: TransactionRequest) =>
      (await wallet.sendTransaction(transaction)).hash;
    const person = await openBrowser(browser(), {
      wallet,
      found: "injected",
      rpcUrl: stack.rpcUrl,
      send,
      tellsReverts: true,
    });
    await person.page.goto(url);
    return person;
  }
  const buttonOf = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const prove = (wallet: string, accountId: string) => {
    const account = { provider: "microblog", accountId, traits: { followers: "1200" } };
    return stack.store.set({ ...account, wallet, authenticatedAt: Math.floor(Date.now() / 1000) });
  };

  it("has types that check, with the guide's examples", async () => {
    const tsc = join(root, "node_modules/.bin/tsc");
    const checked = promisify(execFile)(tsc, ["-p", "."], { cwd: project.folder, env: cleanEnvironment() });
    await checked.catch(({ stdout }) => expect.fail(stdout));
  });

  for (const react of ["19", "18"] as const) {
    it(`takes a person through one claim by its button, and refuses their second wallet, in React ${react}`, async () => {
      const url = await serve("app", react);
      const phone = await visit(url);
      await buttonOf(phone.page, "Claim").click();
      await phone.page.getByText("First prove that you have the account.").waitFor();
      await buttonOf(phone.page, "Verify your account").click();
      await phone.page.waitForURL(`${stack.url}/**`);
      expect(new URL(phone.page.url()).searchParams.get("redirect_uri")).to.equal(url);

      await prove(phone.wallet.address, `react ${react}`);
      await phone.page.goto(url);
      phone.rejects = true;
      await buttonOf(phone.page, "Claim").click();
      await phone.page.getByText("You declined in your wallet. Nothing was sent.").waitFor();
      phone.rejects = false;
      phone.asked.splice(0);
      // The second press comes before React has shown the first one.
      await phone.page.evaluate(
        '{ const button = document.querySelector(".identity-button"); button.click(); button.click(); }',
      );
      await buttonOf(phone.page, "Claimed").waitFor();
      expect(await buttonOf(phone.page, "Claimed").getAttribute("data-status")).to.equal("done");
      const asked = phone.asked.map(({ method }) => method);
      expect(asked.filter((method) => /personal_sign|sendTransaction/.test(method))).to.deep.equal([
        "personal_sign",
        "eth_sendTransaction",
      ]);
      await phone.page.evaluate('document.querySelector(".identity-button").click()');
      expect(phone.asked.length).to.equal(asked.length);

      const laptop = await visit(url);
      await prove(laptop.wallet.address, `react ${react}`);
      await buttonOf(laptop.page, "Claim").click();
      await laptop.page.getByText("You have claimed before, with this wallet or another one.").waitFor();
      expect(await buttonOf(laptop.page, "Try again").isEnabled()).to.equal(true);
      expect(phone.complaints.concat(laptop.complaints)).to.deep.equal([]);
    });
  }

  it("has a button for each state, as the guide lists and pictures them; UPDATE_PICTURES=1 takes the picture anew", async () => {
    const { page, complaints } = await openBrowser(browser(), {
      hasWallet: false,
      context: { viewport: { width: 620, height: 600 }, deviceScaleFactor: 2 },
    });
    await page.goto(await serve("gallery", "19"));
    await page.locator("button").nth(9).waitFor();
    for (const i of [2, 3, 4, 5, 6, 7, 8, 9]) await page.locator("button").nth(i).click();
    await page.getByText("You have claimed before, with this wallet or another one.").waitFor();
    await page.getByText("You declined in your wallet. Nothing was sent.").waitFor();
    const rows = await page.locator("section").evaluateAll((sections) =>
      sections.map((section) => {
        const [button, message] = ["button", ".identity-message"].map((part) =>
          Object(section).querySelector(part),
        );
        return [button.dataset.status, button.textContent, button.ariaDisabled, message.textContent];
      }),
    );
    expect(rows).to.deep.equal([
      ["disconnected", "Connect your wallet first", "true", ""],
      ["ready", "Claim", "false", ""],
      ["signing", "Sign in your wallet …", "true", ""],
      [
        "needs-account",
        "Verify your account",
        "false",
        "First prove that you have the account. You come back here.",
      ],
      ["sending", "Claiming …", "true", ""],
      ["done", "Claimed", "true", ""],
      [
        "unknown",
        "Check your wallet",
        "true",
        "Your claim may still go through. Look in your wallet before you load this page again.",
      ],
      [
        "needs-conditions",
        "Check again",
        "false",
        "The microblog account does not meet the condition followers gt 1000.",
      ],
      ["refused", "Try again", "false", "You declined in your wallet. Nothing was sent."],
      ["refused", "Try again", "false", "You have claimed before, with this wallet or another one."],
    ]);
    const text = readFileSync(join(root, guide), "utf8");
    const listed = [...text.matchAll(/^- (`[^:]+): /gm)].flatMap(
      ([, names = ""]) => names.match(/[\w-]+(?=`)/g) ?? [],
    );
    expect(listed).to.include.members(rows.map(([status]) => status));
    expect(readSnippets(guide).find(({ language }) => language === "css")?.text).to.include(
      ".identity-message",
    );
    const violations = await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
    );
    expect(violations).to.deep.equal([]);
    const ofChain = page.locator("main > div:nth-last-child(2) button");
    await ofChain.nth(1).click();
    await page.locator('main > div:nth-last-child(2) button[data-status="done"]').waitFor();
    // Wallets give an account in another spelling when it changes than when it connects.
    await ofChain.nth(2).click();
    expect(await ofChain.nth(1).getAttribute("data-status")).to.equal("done");
    await ofChain.nth(0).click();
    expect(await ofChain.nth(1).getAttribute("data-status")).to.equal("ready");
    await page.locator("main > div:last-child button").click();
    await buttonOf(page, "Verify elsewhere").dblclick();
    await page.waitForTimeout(1_100);
    await buttonOf(page, "Verify elsewhere").click();
    await page.locator('main > div:last-child button[data-status="done"]').waitFor();
    if (process.env.UPDATE_PICTURES !== undefined) await page.locator("#app").screenshot({ path: picture });
    expect(complaints).to.deep.equal([]);
  });
});

/** The guide's style, and a frame for its picture. */
const galleryStyle = `
${readSnippets(guide).find(({ language }) => language === "css")?.text}
body { font: 16px/1.4 system-ui, sans-serif; margin: 1rem; }
section { display: grid; grid-template-columns: 12rem 1fr; gap: 0 1rem; margin: 0.5rem 0; align-items: center; }
.identity-button { font: inherit; padding: 0.4rem 1rem; justify-self: start; border: 1px solid; border-radius: 6px; color: inherit; }
.identity-message { grid-column: 2; font-size: 0.85rem; }
`;
