import { createContext, runInContext } from "node:vm";
import { expect } from "chai";
import { announceWallet } from "../../wallet/announce.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { post } from "../fixtures/wallet/walletClients.ts";

interface Announcement {
  readonly info: {
    readonly uuid: string;
    readonly name: string;
    readonly icon: string;
    readonly rdns: string;
  };
  readonly provider: ReturnType<typeof announceWallet>;
}

// In a browser, with the guide's own words: announce.long.test.ts.
describe("A wallet that is announced to a page", () => {
  /** A page in which a wallet of a node is announced, and what its app hears of it. */
  async function fixture(options: { name?: string; injected?: object } = {}) {
    const node = await serveLocalChain();
    const proxy = await serveProxy(node.rpcUrl);
    const heard: Announcement[] = [];
    const target = new EventTarget();
    const page: Record<string, unknown> = {
      ...(options.injected && { ethereum: options.injected }),
      addEventListener: target.addEventListener.bind(target),
      dispatchEvent: target.dispatchEvent.bind(target),
      CustomEvent,
      crypto,
      fetch,
    };
    target.addEventListener("eip6963:announceProvider", (event) => {
      heard.push((event as CustomEvent<Announcement>).detail);
    });
    const given = { rpcUrl: proxy.url, ...(options.name !== undefined && { name: options.name }) };
    const wallet: ReturnType<typeof announceWallet> = runInContext(
      `(${announceWallet})(${JSON.stringify(given)})`,
      createContext(page),
    );
    const askAgain = () => target.dispatchEvent(new Event("eip6963:requestProvider"));
    return { ...node, proxy, page, heard, wallet, askAgain };
  }

  it("is announced as EIP-6963 has it, at once and to whoever asks later, always as the same", async () => {
    const { heard, wallet, askAgain } = await fixture();
    expect(heard).to.have.length(1);
    const [first] = heard;
    expect(first?.provider).to.equal(wallet);
    expect(Object.isFrozen(first) && Object.isFrozen(first?.info)).to.equal(true);
    const { uuid, icon, ...rest } = first?.info ?? {};
    expect(rest).to.deep.equal({ name: "Development wallet", rdns: "localhost.hardhat-identity" });
    expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(icon).to.match(/^data:image\/svg\+xml,<svg .*<\/svg>$/);
    askAgain();
    expect(heard).to.deep.equal([first, first]);
    const other = await fixture({ name: "Alice's" });
    expect(other.heard[0]?.info.name).to.equal("Alice's");
    expect(other.heard[0]?.info.uuid).to.not.equal(uuid);
  });

  it("is window.ethereum, unless there is another wallet", async () => {
    const { page, wallet } = await fixture();
    expect(page.ethereum).to.equal(wallet);
    const injected = {};
    expect((await fixture({ injected })).page.ethereum).to.equal(injected);
  });

  it("answers what the node answers, asked by method and parameters", async () => {
    const { wallet, provider, proxy } = await fixture();
    const { address } = await provider.getSigner(1);
    expect(await wallet.request({ method: "eth_chainId" })).to.equal("0x14a34");
    const balance = await wallet.request({ method: "eth_getBalance", params: [address, "latest"] });
    expect(balance).to.equal(`0x${(await provider.getBalance(address)).toString(16)}`);
    expect(proxy.batches).to.deep.equal([["eth_chainId"], ["eth_getBalance"]]);
    const block = await wallet.request({ method: "eth_getBlockByNumber", params: ["0xffff", false] });
    expect(block).to.equal(null);
  });

  it("refuses with the wallet's code and message, and the node's data", async () => {
    const { wallet, rpcUrl, provider } = await fixture();
    const configure = { method: "identity_configureWallet", params: [{ rejectNext: true }] };
    await post(rpcUrl, { jsonrpc: "2.0", id: 1, ...configure });
    const { address: from } = await provider.getSigner(1);
    const batch = { version: "2.0.0", from, chainId: "0x14a34", atomicRequired: true, calls: [] };
    const error = await refusal(wallet.request({ method: "wallet_sendCalls", params: [batch] }));
    expect(error).to.include({
      code: 4001,
      message: "User rejected the request. rejectNext() was called.",
    });
    // Reverts with 32 bytes: PUSH1 32, PUSH0, REVERT.
    const failing = await refusal(wallet.request({ method: "eth_call", params: [{ data: "0x60205ffd" }] }));
    expect(failing).to.include({ code: 3, data: `0x${"00".repeat(32)}` });
  });

  it("takes listeners without ever telling them anything: neither its accounts nor its chain change", async () => {
    const { wallet } = await fixture();
    expect([wallet.on(), wallet.removeListener()]).to.deep.equal([wallet, wallet]);
  });
});

/** What is thrown in the page: not an Error of this context. */
async function refusal(promise: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") return expect.fail(`It was answered: ${JSON.stringify(outcome.value)}`);
  return outcome.reason as { code: number; message: string; data?: unknown };
}
