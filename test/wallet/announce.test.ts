import { createContext, runInContext } from "node:vm";
import { expect } from "chai";
import {
  BrowserProvider,
  type Eip1193Provider,
  getAddress,
  getBytes,
  verifyMessage,
  verifyTypedData,
} from "ethers";
import { createWalletClient, custom, defineChain } from "viem";
import { announceWallet } from "../../packages/wallet/announce.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
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
        CustomEvent,
        crypto,
        fetch,
        sessionStorage,
        ...more,
      };
      target.addEventListener("eip6963:announceProvider", (event) => {
        heard.push((event as CustomEvent<Announcement>).detail);
      });
      const context = createContext(page);
      const announce = (more = {}): ReturnType<typeof announceWallet> =>
        runInContext(`(${announceWallet})(${JSON.stringify({ ...given, ...more })})`, context);
      const wallet = announce();
      const ask = async (method: string, ...params: unknown[]) =>
        copy(await wallet.request({ method, params }));
      const askAgain = () => target.dispatchEvent(new Event("eip6963:requestProvider"));
      return { page, heard, wallet, ask, announce, askAgain };
    }
    return { ...node, proxy, accounts, configure, load, ...load() };
  }

  it("is announced by EIP-6963 at once and on later requests, always with the same id", async () => {
    const { heard, wallet, askAgain, load } = await fixture();
    expect(heard).to.have.length(1);
    const [first] = heard;
    expect(first?.provider).to.equal(wallet);
    expect(Object.isFrozen(first) && Object.isFrozen(first?.info)).to.equal(true);
    const { uuid, icon, ...rest } = first?.info ?? {};
    expect(rest).to.deep.equal({ name: "Development wallet", rdns: "localhost.hardhat-identity" });
    expect(uuid).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    // RFC 3986, section 2: no spaces, quotes and angle brackets.
    expect(icon).to.match(/^data:image\/svg\+xml,(?:[\w.~:/?@!$&()*+,;=-]|%[0-9A-F]{2})+$/);
    expect(decodeURIComponent(String(icon))).to.match(/^data:image\/svg\+xml,<svg .*<\/svg>$/);
    askAgain();
    expect(heard).to.deep.equal([first, first]);
    const bytes = (array: Uint8Array) => crypto.getRandomValues(array);
    const { heard: onPlainHttp } = load({ crypto: { getRandomValues: bytes } });
    expect(onPlainHttp[0]?.info.uuid).to.match(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const other = await fixture({ name: "Alice's" });
    expect(other.heard[0]?.info.name).to.equal("Alice's");
    expect(other.heard[0]?.info.uuid).to.not.equal(uuid);
  });

  it("is window.ethereum unless another wallet is", async () => {
    const { page, wallet } = await fixture();
    expect(page.ethereum).to.equal(wallet);
    const injected = {};
    expect((await fixture({ injected })).page.ethereum).to.equal(injected);
  });

  it("passes requests on to the node and returns its answers", async () => {
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

  it("is one wallet, however often the page announces it", async () => {
    const { announce, wallet, heard, askAgain, rpcUrl } = await fixture();
    expect(announce()).to.equal(wallet);
    askAgain();
    expect(heard).to.have.length(2);
    expect(heard[1]).to.equal(heard[0]);
    // Another node's is another one.
    expect(announce({ rpcUrl: `${rpcUrl}/other` })).not.to.equal(wallet);
    expect(heard).to.have.length(3);
  });

  const permission = (accounts: readonly string[]) => [
    {
      invoker: "http://app.example",
      parentCapability: "eth_accounts",
      caveats: [{ type: "restrictReturnedAccounts", value: accounts }],
    },
  ];
  const asked = { eth_accounts: {} };

  /** The events about accounts that a page receives. */
  function hear(wallet: ReturnType<typeof announceWallet>) {
    const told: unknown[] = [];
    const [listener, another] = [(accounts: unknown) => void told.push(copy(accounts)), () => undefined];
    expect(wallet.on("accountsChanged", listener).on("accountsChanged", another)).to.equal(wallet);
    // One who leaves takes nobody along.
    wallet.removeListener("accountsChanged", another);
    return { told, stop: () => wallet.removeListener("accountsChanged", listener) };
  }

  it("shows a page no account before it connects, and reports changes", async () => {
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

  it("reports a change to all who listened when it happened, and to nobody else", async () => {
    const { wallet, ask } = await fixture();
    const told: string[] = [];
    const late = () => void told.push("late");
    const first = () => {
      told.push("first");
      wallet.removeListener("accountsChanged", first).on("accountsChanged", late);
    };
    wallet.on("accountsChanged", first).on("accountsChanged", () => void told.push("second"));
    await ask("eth_requestAccounts");
    expect(told).to.deep.equal(["first", "second"]);
    await ask("wallet_revokePermissions", asked);
    expect(told.slice(2)).to.deep.equal(["second", "late"]);
  });

  it("lets the person choose again if the page asks for permissions", async () => {
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

  it("does not connect if the person refuses or has not authorized it", async () => {
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

  it("refuses requests for an account without permission, and sends the node nothing", async () => {
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
      for (const [method, ...params] of everything) {
        const error = await refusal(wallet.request({ method: String(method), params }));
        expect(error, String(method)).to.include({ code: 4100 });
      }
    };
    const head = await provider.getBlockNumber();
    const before = proxy.batches.length;
    await refusals();
    wallet.chooseAccounts([alice]);
    await refusals();
    expect((await refusal(ask("eth_sendTransaction", { from: bob, to: bob }))).message).to.equal(
      `Account and/or method not authorized by the user. eth_sendTransaction is asked for ${bob}, and the page may use ${alice}.`,
    );
    expect(proxy.batches).to.have.length(before);
    expect(await provider.getBlockNumber()).to.equal(head);
    const signed = await ask("personal_sign", "0x00", alice.toUpperCase().replace("0X", "0x"));
    expect(signed).to.match(/^0x[0-9a-f]{130}$/);
    expect(await ask("eth_sendTransaction", { from: alice, to: bob })).to.match(/^0x/);
    expect(await ask("wallet_sendCalls", { ...batch, from: alice })).to.include({ status: "pending" });
  });

  it("lets a test choose another account and disconnect the page", async () => {
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

  it("stays connected after a reload, unless the page may store nothing", async () => {
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

describe("The announced wallet, called as apps call it", () => {
  const chain = defineChain({
    id: 84532,
    name: "Local",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: ["http://127.0.0.1:1"] } },
  });
  const other = { ...chain, id: 1 };

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const page = createContext({
      CustomEvent,
      crypto,
      fetch,
      addEventListener() {},
      dispatchEvent() {},
      location: { origin: "http://app.example" },
    });
    const wallet: Eip1193 = runInContext(`(${announceWallet})({ rpcUrl: "${rpcUrl}" })`, page);
    const accounts = ((await provider.send("eth_accounts", [])) as string[]).map(getAddress);
    return { wallet, accounts, alice: accounts[1] as `0x${string}`, bob: accounts[2] as `0x${string}` };
  }
  type Eip1193 = ReturnType<typeof announceWallet> & Eip1193Provider;

  it("serves viem's wallet actions", async () => {
    const { wallet, accounts, alice, bob } = await fixture();
    const client = createWalletClient({ chain, transport: custom(wallet) });
    expect(await client.getAddresses()).to.deep.equal([]);
    expect(await client.getPermissions()).to.deep.equal([]);
    expect(await client.requestAddresses()).to.deep.equal(accounts);
    expect((await client.requestPermissions({ eth_accounts: {} }))[0]?.parentCapability).to.equal(
      "eth_accounts",
    );
    await client.switchChain({ id: chain.id });
    await client.addChain({ chain });
    for (const change of [client.switchChain({ id: 1 }), client.addChain({ chain: other })]) {
      expect(await refusal(change)).to.include({ code: 4902 });
    }
    const signature = await client.signMessage({ account: alice, message: "héllo" });
    expect(verifyMessage("héllo", signature)).to.equal(alice);
    const { id } = await client.sendCalls({ account: alice, calls: [{ to: bob, value: 1n }, { to: bob }] });
    expect((await client.waitForCallsStatus({ id })).status).to.equal("success");
    expect(await client.getCapabilities({ account: alice, chainId: chain.id })).to.have.property("atomic");
    expect(await client.sendTransaction({ account: alice, to: bob, value: 1n })).to.match(/^0x/);
  });

  it("serves ethers' BrowserProvider", async () => {
    const { wallet, alice, bob } = await fixture();
    const provider = new BrowserProvider(wallet);
    expect(await provider.hasSigner(alice)).to.equal(false);
    const signer = await provider.getSigner(alice);
    expect(verifyMessage("hello", await signer.signMessage("hello"))).to.equal(alice);
    expect(verifyMessage("hello", await signer._legacySignMessage("hello"))).to.equal(alice);
    await (await signer.sendTransaction({ to: bob, value: 1n })).wait();
    expect((await provider.getNetwork()).chainId).to.equal(84532n);
    expect(await provider.send("wallet_switchEthereumChain", [{ chainId: "0x14A34" }])).to.equal(null);
  });

  it("serves wagmi's injected connector", async () => {
    const { wallet, accounts, alice, bob } = await fixture();
    // Its types bring those of a browser into all tests.
    const load = async (name: string) => import(name);
    const { createConfig } = await load("wagmi");
    const { connect, disconnect, sendCalls, signMessage, switchChain, waitForCallsStatus } =
      await load("wagmi/actions");
    const { injected } = await load("wagmi/connectors");
    // It asks for nothing but that there is one.
    Reflect.set(globalThis, "window", {});
    onCleanup(() => void Reflect.deleteProperty(globalThis, "window"));
    const config = createConfig({
      chains: [chain, other],
      connectors: [injected({ target: { id: "test", name: "Test", provider: wallet } })],
      transports: { [chain.id]: custom(wallet), [other.id]: custom(wallet) },
      multiInjectedProviderDiscovery: false,
      storage: null,
    });
    const [connector] = config.connectors;
    if (connector === undefined) throw new Error("There is no connector.");
    const connected = await connect(config, { connector, chainId: chain.id });
    expect(connected).to.deep.equal({ accounts, chainId: chain.id });
    expect(await switchChain(config, { chainId: chain.id })).to.include({ id: chain.id });
    expect(await refusal(switchChain(config, { chainId: other.id }))).to.be.an.instanceOf(Error);
    const signature = await signMessage(config, { account: alice, message: "hello" });
    expect(verifyMessage("hello", signature)).to.equal(alice);
    const calls = [{ to: bob }, { to: bob, value: 1n }];
    const { id } = await sendCalls(config, { account: alice, calls });
    expect((await waitForCallsStatus(config, { id })).status).to.equal("success");
    await disconnect(config);
    expect(await wallet.request({ method: "eth_accounts" })).to.deep.equal([]);
  });

  it("accepts the parameters that other wallets accept", async () => {
    const { wallet, alice } = await fixture();
    const ask = (method: string, ...params: unknown[]) => wallet.request({ method, params } as never);
    for (const wrong of [{ version: "2.0.0", calls: [] }, { from: 7 }, undefined]) {
      expect(await refusal(ask("wallet_sendCalls", wrong))).to.include({ code: -32602 });
    }
    await ask("eth_requestAccounts");
    for (const given of [
      ["plain", alice],
      [alice, "plain"],
      ["plain", alice, "password"],
      ["0xabc", alice],
      ["¿Una señora? 👋", alice],
    ]) {
      const text = String(given.find((each) => each !== alice));
      expect(verifyMessage(text, String(await ask("personal_sign", ...given))), text).to.equal(alice);
    }
    const address = `0x${"12".repeat(20)}`;
    const signed = String(await ask("personal_sign", address, alice));
    expect(verifyMessage(getBytes(address), signed)).to.equal(alice);
    const types = { EIP712Domain: [], Vote: [{ name: "option", type: "uint8" }] };
    const typed = JSON.stringify({ types, domain: {}, primaryType: "Vote", message: { option: 1 } });
    for (const method of ["eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"]) {
      const answer = String(await ask(method, alice, typed));
      expect(verifyTypedData({}, { Vote: types.Vote }, { option: 1 }, answer), method).to.equal(alice);
    }
    expect(await ask("wallet_switchEthereumChain", { chainId: "0x14a34" })).to.equal(null);
    for (const wrong of [undefined, {}, { chainId: 84532 }, { chainId: "84532" }]) {
      for (const method of ["wallet_switchEthereumChain", "wallet_addEthereumChain"]) {
        expect(await refusal(ask(method, wrong)), method).to.include({ code: -32602 });
      }
    }
  });
});

/** As this context has it, rather than the page's. */
const copy = <T>(value: T): T => structuredClone(value);

/** The error that the page throws: not an Error of this context. */
async function refusal(promise: Promise<unknown>) {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "fulfilled") return expect.fail(`It was answered: ${JSON.stringify(outcome.value)}`);
  return outcome.reason as { code: number; message: string; data?: unknown };
}
