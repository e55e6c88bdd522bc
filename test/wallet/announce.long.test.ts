import { expect } from "chai";
import { build } from "esbuild";
import { announceWallet } from "../../packages/wallet/announce.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { readSnippetFile } from "../fixtures/markdown.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { post } from "../fixtures/wallet/walletClients.ts";
import { serveApp } from "../fixtures/web/appPage.ts";
import { useBrowser } from "../fixtures/web/browser.ts";

interface App {
  wallets(): { uuid: string; name: string; icon: string; rdns: string; injected: boolean }[];
  accounts(): Promise<`0x${string}`[]>;
  send(account: string, calls: object[]): Promise<object>;
}

declare const app: App;

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>;

describe("A wallet that is announced to an app in a browser, as the guide shows it", () => {
  const browser = useBrowser();
  let node: Awaited<ReturnType<typeof serveLocalChain>>;
  let site: string;
  before(async () => {
    [node, site] = await Promise.all([serveLocalChain(), serveAppBundle()]);
  });

  async function fixture() {
    const configure = (settings: object) =>
      post(node.rpcUrl, { jsonrpc: "2.0", id: 1, method: "identity_configureWallet", params: [settings] });
    await configure({ reset: true });
    const page = await browser().newPage();
    const steps = readSnippetFile("docs/wallet.md", "browser.ts")
      .replace(/^import .*$/m, "")
      .replace("http://127.0.0.1:8545", node.rpcUrl)
      .replace("http://127.0.0.1:3000", site);
    await new AsyncFunction("page", "announceWallet", steps)(page, announceWallet);
    const send = (value: bigint) =>
      page.evaluate(async (value) => {
        const [account = "0x", to] = await app.accounts();
        return app.send(account, [{ to, value }, { to }]);
      }, value);
    return { page, configure, send };
  }

  it("is found by EIP-6963 and as window.ethereum", async () => {
    const { page } = await fixture();
    const wallets = await page.evaluate(() => app.wallets());
    expect(wallets.map(({ uuid: _uuid, icon: _icon, ...rest }) => rest)).to.deep.equal([
      { name: "Development wallet", rdns: "localhost.hardhat-identity", injected: true },
    ]);
    expect(wallets[0]?.uuid).to.match(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(wallets[0]?.icon).to.match(/^data:image\/svg\+xml,/);
  });

  it("answers the app's batches with the node's accounts", async () => {
    const { send } = await fixture();
    expect(await send(1n)).to.deep.equal({ status: "success", atomic: true, receipts: 1 });
    expect(await send(10n ** 24n)).to.deep.equal({ status: "failure", atomic: true, receipts: 1 });
  });

  it("refuses as configured, and the app gets code and message", async () => {
    const { page, send, configure } = await fixture();
    await page.evaluate(() => app.accounts());
    await configure({ rejectNext: true });
    expect(await send(1n)).to.deep.equal({
      name: "UserRejectedRequestError",
      details: "User rejected the request. rejectNext() was called.",
    });
    await configure({ maxCalls: 1 });
    expect(await send(1n)).to.include({ name: "BundleTooLargeError" });
  });
});

/** Serves the app of a fixture, bundled for a browser. */
async function serveAppBundle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["test/fixtures/wallet/walletApp/app.tsx"],
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
  });
  return serveApp(
    `<!doctype html><title>App</title><script>${outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`,
  );
}
