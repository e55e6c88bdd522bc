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
    const tab = new Map<string, string>();
    const sessionStorage = {
      getItem: (key: string) => tab.get(key) ?? null,
      setItem: (key: string, value: string) => tab.set(key, value),
    };
    const given = { rpcUrl: proxy.url, ...(options.name !== undefined && { name: options.name }) };
    const accounts = (await node.provider.send("eth_accounts", [])) as string[];
    const configure = (settings: object) =>
      post(node.rpcUrl, { jsonrpc: "2.0", id: 1, method: "identity_configureWallet", params: [settings] });

    /** Loads the page, in the same tab. */
    function load(more: Record<string, unknown> = {}) {
      const heard: Announcement[] = [];
      const target = new EventTarget();
      const page: Record<string, unknown> = {
        ...(options.injected && { ethereum: options.injected }),
        addEventListener: target.addEventListener.bind(target),
        dispatchEvent: target.dispatchEvent.bind(target),
        location: { origin: "http://app.example" },
        ...{ CustomEvent, crypto, fetch, sessionStorage },
        ...more,
      };
      target.addEventListener("eip6963:announceProvider", (event) => {
        heard.push((event as CustomEvent<Announcement>).detail);
      });
      const context = createContext(page);
      const announce = (): ReturnType<typeof announceWallet> =>
        runInContext(`(${announceWallet})(${JSON.stringify(given)})`, context);
      const wallet = announce();
      const ask = async (method: string, ...params: unknown[]) =>
        copy(await wallet.request({ method, params }));
      const askAgain = () => target.dispatchEvent(new Event("eip6963:requestProvider"));
      return { page, heard, wallet, ask, announce, askAgain };
    }
    return { ...node, proxy, accounts, configure, load, ...load() };
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
    const { wallet, ask, configure, accounts } = await fixture();
    await ask("eth_requestAccounts");
    await configure({ rejectNext: true });
    const batch = {
      version: "2.0.0",
      from: accounts[1],
      chainId: "0x14a34",
      atomicRequired: true,
      calls: [],
    };
    const error = await refusal(wallet.request({ method: "wallet_sendCalls", params: [batch] }));
    expect(error).to.include({
      code: 4001,
      message: "User rejected the request. rejectNext() was called.",
    });
    // Reverts with 32 bytes: PUSH1 32, PUSH0, REVERT.
    const failing = await refusal(wallet.request({ method: "eth_call", params: [{ data: "0x60205ffd" }] }));
    expect(failing).to.include({ code: 3, data: `0x${"00".repeat(32)}` });
  });

  it("is one wallet, whatever number of times the page announces it", async () => {
    const { announce, wallet, heard, askAgain } = await fixture();
    expect(announce()).to.equal(wallet);
    askAgain();
    expect(heard).to.have.length(2);
    expect(heard[1]).to.equal(heard[0]);
  });

  const permission = (accounts: readonly string[]) => [
    {
      invoker: "http://app.example",
      parentCapability: "eth_accounts",
      caveats: [{ type: "restrictReturnedAccounts", value: accounts }],
    },
  ];
  const asked = { eth_accounts: {} };

  /** What a page hears of its accounts. */
  function hear(wallet: ReturnType<typeof announceWallet>) {
    const told: unknown[] = [];
    const listener = (accounts: unknown) => void told.push(copy(accounts));
    expect(wallet.on("accountsChanged", listener)).to.equal(wallet);
    return { told, stop: () => wallet.removeListener("accountsChanged", listener) };
  }

  it("shows a page no account before it has connected, and tells it when that changes", async () => {
    const { wallet, ask, accounts } = await fixture();
    const { told, stop } = hear(wallet);
    expect(await ask("eth_accounts")).to.deep.equal([]);
    expect(await ask("wallet_getPermissions")).to.deep.equal([]);
    expect(await ask("eth_requestAccounts")).to.deep.equal(accounts);
    expect(await ask("eth_accounts")).to.deep.equal(accounts);
    expect(await ask("wallet_getPermissions")).to.deep.equal(permission(accounts));
    expect(await ask("eth_requestAccounts")).to.deep.equal(accounts);
    expect(await ask("wallet_revokePermissions", asked)).to.equal(null);
    expect(await ask("eth_accounts")).to.deep.equal([]);
    expect(await ask("wallet_revokePermissions", asked)).to.equal(null);
    expect(told).to.deep.equal([accounts, []]);
    stop();
    await ask("eth_requestAccounts");
    expect(told).to.have.length(2);
  });

  it("has the person choose anew when it is asked for permissions, whatever the page may use already", async () => {
    const { wallet, ask, configure, accounts } = await fixture();
    const { told } = hear(wallet);
    const [, alice, bob] = accounts as [string, string, string];
    await configure({ accounts: [alice] });
    expect(await ask("wallet_requestPermissions", asked)).to.deep.equal(permission([alice]));
    await configure({ accounts: [bob] });
    expect(await ask("eth_requestAccounts")).to.deep.equal([alice]);
    expect(await ask("wallet_requestPermissions", asked)).to.deep.equal(permission([bob]));
    expect(await ask("eth_accounts")).to.deep.equal([bob]);
    expect(told).to.deep.equal([[alice], [bob]]);
    const wrong = [[], [{}], [{ eth_chainId: {} }], [{ eth_accounts: {}, eth_sign: {} }], ["eth_accounts"]];
    for (const method of ["wallet_requestPermissions", "wallet_revokePermissions"]) {
      for (const params of wrong) {
        expect(await refusal(wallet.request({ method, params }))).to.include({ code: -32602 });
      }
    }
    expect(await ask("eth_accounts")).to.deep.equal([bob]);
  });

  it("does not connect when the person refuses, or has not authorized it", async () => {
    const { wallet, ask, configure } = await fixture();
    const { told } = hear(wallet);
    for (const method of ["eth_requestAccounts", "wallet_requestPermissions"]) {
      await configure({ rejectNext: true });
      const params = method === "wallet_requestPermissions" ? [asked] : [];
      expect(await refusal(wallet.request({ method, params }))).to.include({ code: 4001 });
    }
    await configure({ methods: [] });
    expect(await refusal(wallet.request({ method: "eth_requestAccounts" }))).to.include({ code: 4100 });
    expect([await ask("eth_accounts"), told]).to.deep.equal([[], []]);
  });

  it("lets no account act for which the page has no permission, and asks the node nothing", async () => {
    const { wallet, ask, accounts, proxy, provider } = await fixture();
    const [, alice, bob] = accounts as [string, string, string];
    const typed = JSON.stringify({ types: {}, domain: {}, primaryType: "EIP712Domain", message: {} });
    const batch = { version: "2.0.0", chainId: "0x14a34", atomicRequired: true, calls: [] };
    const acts = (account: string): [string, ...unknown[]][] => [
      ["personal_sign", "0x00", account],
      ["eth_sign", account, "0x00"],
      ["eth_signTypedData", account, typed],
      ["eth_signTypedData_v3", account, typed],
      ["eth_signTypedData_v4", account, typed],
      ["eth_signTransaction", { from: account, to: bob }],
      ["eth_sendTransaction", { from: account, to: bob }],
      ["wallet_sendCalls", { ...batch, from: account }],
      ["wallet_getCapabilities", account],
    ];
    const everything = [...acts(bob), ...acts(bob.toUpperCase().replace("0X", "0x"))];
    const refusals = async () => {
      for (const [method, ...params] of [...everything, ["eth_sendTransaction", { to: bob }]]) {
        const error = await refusal(wallet.request({ method: String(method), params }));
        expect(error, String(method)).to.include({ code: 4100 });
      }
    };
    const head = await provider.getBlockNumber();
    const before = proxy.batches.length;
    await refusals();
    wallet.chooseAccounts([alice]);
    await refusals();
    expect(proxy.batches).to.have.length(before);
    expect(await provider.getBlockNumber()).to.equal(head);
    const signed = await ask("personal_sign", "0x00", alice.toUpperCase().replace("0X", "0x"));
    expect(signed).to.match(/^0x[0-9a-f]{130}$/);
    expect(await ask("eth_sendTransaction", { from: alice, to: bob })).to.match(/^0x/);
    expect(await ask("wallet_sendCalls", { ...batch, from: alice })).to.include({ status: "pending" });
  });

  it("lets a test do what people do in a wallet: choose another account, and disconnect the page", async () => {
    const { wallet, ask, accounts } = await fixture();
    const { told } = hear(wallet);
    const [, alice, bob] = accounts as [string, string, string];
    wallet.chooseAccounts([alice]);
    wallet.chooseAccounts([alice]);
    wallet.chooseAccounts([bob, alice]);
    expect(await ask("eth_accounts")).to.deep.equal([bob, alice]);
    wallet.chooseAccounts([]);
    expect(await ask("eth_accounts")).to.deep.equal([]);
    expect(told).to.deep.equal([[alice], [bob, alice], []]);
  });

  it("stays connected when the page is loaded again, and forgets where the page may store nothing", async () => {
    const { load, ask, accounts } = await fixture();
    await ask("eth_requestAccounts");
    expect(await load().ask("eth_accounts")).to.deep.equal(accounts);
    const bare = load({ sessionStorage: undefined });
    expect(await bare.ask("eth_accounts")).to.deep.equal([]);
    expect(await bare.ask("eth_requestAccounts")).to.deep.equal(accounts);
    await ask("wallet_revokePermissions", asked);
    expect(await load().ask("eth_accounts")).to.deep.equal([]);
  });
});

/** As this context has it, rather than the page's. */
const copy = <T>(value: T): T => structuredClone(value);

/** What is thrown in the page: not an Error of this context. */
async function refusal(promise: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") return expect.fail(`It was answered: ${JSON.stringify(outcome.value)}`);
  return outcome.reason as { code: number; message: string; data?: unknown };
}
