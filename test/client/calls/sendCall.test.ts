import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { BrowserProvider, id, JsonRpcProvider, verifyMessage } from "ethers";
import { createWalletClient, custom, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  encodeCall,
  isIdentityUsed,
  sendCall,
  signMessage,
  waitForReceipt,
} from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { deployConsumers } from "../../fixtures/chain/consumer.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { expectFailure, expectRefusal, identityError } from "../../fixtures/client/identityError.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";

const abi = "enroll(bytes32 identityHash, uint40 expiration, bytes signature)";

/** The ways in which apps reach wallet and node. */
const sources: Record<string, (rpcUrl: string) => Eip1193Connection> = {
  "ethers' JsonRpcProvider": (rpcUrl) => {
    const ethers = new JsonRpcProvider(rpcUrl, 84532, { staticNetwork: true, batchMaxCount: 1 });
    return { request: ({ method, params }) => ethers.send(method, (params as unknown[]) ?? []) };
  },
  "ethers' BrowserProvider": (rpcUrl) => {
    const injected = createWalletClient({ transport: http(rpcUrl, { retryCount: 0 }) });
    const ethers = new BrowserProvider(injected as Eip1193Connection, 84532);
    return { request: ({ method, params }) => ethers.send(method, (params as unknown[]) ?? []) };
  },
  "viem's http transport": (rpcUrl) => createWalletClient({ transport: http(rpcUrl, { retryCount: 0 }) }),
  "viem's custom transport": (rpcUrl) => {
    const injected = createWalletClient({ transport: http(rpcUrl, { retryCount: 0 }) });
    return createWalletClient({ transport: custom(injected) });
  },
};

describe("sendCall and waitForReceipt", () => {
  let node: Awaited<ReturnType<typeof serveLocalChain>>;

  before(async () => {
    node = await serveLocalChain();
  });

  for (const [source, connect] of Object.entries(sources)) {
    describe(`with ${source}`, () => {
      async function fixture() {
        const connection = connect(node.rpcUrl);
        await connection.request({ method: "evm_setAutomine", params: [true] });
        const { identity, user, consumers } = await deployConsumers(connection, "IncentiveProgram");
        const [consumer = ""] = consumers;
        const call = async (options: { identity: string; expiration?: number }) => {
          const verification = await identity.mint({ consumer, user, ...options });
          const data = encodeCall({ abi, verification });
          return { from: user, chainId: 84532, to: consumer, data, verification };
        };
        return { connection, consumer, call };
      }

      it("admits an identity to a consumer", async () => {
        const { connection, consumer, call } = await fixture();
        const { verification, ...enroll } = await call({ identity: "alice" });
        const hash = await sendCall(connection, enroll);
        const receipt = await waitForReceipt(connection, { hash, interval: 10 });

        expect(receipt).to.include({ transactionHash: hash, status: "0x1" });
        const where = { consumer, identityHash: verification.identityHash, block: "latest" } as const;
        expect(await isIdentityUsed(connection, where)).to.equal(true);
      });

      it("reports the consumer's revert", async () => {
        const { connection, call } = await fixture();
        await sendCall(connection, await call({ identity: "alice" }));
        const again = await call({ identity: "alice" });
        const error = await identityError(() => sendCall(connection, again));

        expect(error).to.include({ code: "client_reverted", action: "show" });
        expect(error.revertData).to.equal(id("AlreadyEnrolled()").slice(0, 10));
        expect(error.message).not.to.match(/payload|Request body/);
        expect(error.message).not.to.include(again.verification.signature.slice(2, 80));
      });

      it("tells from when a contract admits people again that has admitted enough for now", async () => {
        const { connection } = await fixture();
        const { identity, user, consumers } = await deployConsumers(connection, "PacedConsumer");
        const [to = ""] = consumers;
        const enroll = async (name: string) => {
          const verification = await identity.mint({ consumer: to, user, identity: name });
          return { from: user, chainId: 84532, to, data: encodeCall({ abi, verification }) };
        };
        const hash = await sendCall(connection, await enroll("alice"));
        const { blockNumber } = await waitForReceipt(connection, { hash, interval: 10 });
        const block = await connection.request({
          method: "eth_getBlockByNumber",
          params: [blockNumber, false],
        });
        const now = Number(Reflect.get(Object(block), "timestamp"));
        const error = await identityError(async () => sendCall(connection, await enroll("bob")));
        // The window of the contract is so long that no test sees its end.
        const window = 10_000_000_000;
        expect(error).to.include({ code: "client_pace_exceeded", action: "retry-later" });
        expect(error.retryAt).to.equal((Math.floor(now / window) + 1) * window);
      });

      it("reports a revert that shows only when the transaction is mined", async () => {
        const { connection, call } = await fixture();
        const enroll = await call({ identity: "alice" });
        await connection.request({ method: "evm_setAutomine", params: [false] });
        const hash = await sendCall(connection, enroll);
        const waiting = identityError(() => waitForReceipt(connection, { hash, interval: 10 }));
        // The verification has expired when its block comes.
        const late = enroll.verification.expiration + 1;
        await connection.request({ method: "evm_setNextBlockTimestamp", params: [late] });
        await connection.request({ method: "evm_mine", params: [] });
        const error = await waiting;

        const message = "The transaction was reverted.";
        expect(error).to.include({ code: "client_reverted", action: "show", message });
        expect(error.receipts?.map((receipt) => [receipt.transactionHash, receipt.status])).to.deep.equal([
          [hash, "0x0"],
        ]);
      });

      it("sends nothing on another chain than the given one", async () => {
        const { connection, call } = await fixture();
        const { from, to, data } = await call({ identity: "alice" });
        const count = () =>
          connection.request({ method: "eth_getTransactionCount", params: [from, "pending"] });
        const before = await count();
        const error = await identityError(() => sendCall(connection, { from, to, data, chainId: 8453 }));

        expect(error).to.include({ code: "client_wrong_chain", action: "show" });
        expect(error.message).to.equal("The wallet is on chain 84532; this needs chain 8453.");
        expect(await count()).to.equal(before);
      });

      it("follows a transaction that the user speeds up or cancels in the wallet", async () => {
        const { connection, call } = await fixture();
        const { verification, ...enroll } = await call({ identity: "alice" });
        const receiptOf = async (changes: object) => {
          await connection.request({ method: "evm_setAutomine", params: [false] });
          const hash = await sendCall(connection, enroll);
          const sent = await connection.request({ method: "eth_getTransactionByHash", params: [hash] });
          let know = () => {};
          const isKnown = new Promise<void>((resolve) => {
            know = resolve;
          });
          // Of several nodes behind one address, one may write addresses in another casing.
          const node: Eip1193Connection = {
            async request(asked) {
              if (asked.method === "eth_getTransactionCount") know();
              const answer = await connection.request(asked);
              if (asked.method !== "eth_getBlockByNumber") return answer;
              const written = [enroll.to, enroll.from].reduce(
                (text, address) => text.replaceAll(address.toLowerCase(), address),
                JSON.stringify(answer),
              );
              return JSON.parse(written);
            },
          };
          const waiting = waitForReceipt(node, { hash, interval: 10 }).catch((error) => error);
          await isKnown;
          const fees = { maxFeePerGas: "0x174876e800", maxPriorityFeePerGas: "0x174876e800" };
          const { nonce } = sent as { nonce: string };
          const again = await connection.request({
            method: "eth_sendTransaction",
            params: [{ ...enroll, nonce, gas: "0x7a120", ...fees, ...changes }],
          });
          // It is not in the latest block when it is looked for.
          for (let i = 0; i < 3; i++) await connection.request({ method: "evm_mine", params: [] });
          return { hash, again, outcome: await waiting };
        };

        const cancelled = await receiptOf({ to: enroll.from, data: "0x" });
        const message = `The transaction was cancelled or replaced in the wallet, by ${cancelled.again}.`;
        expect(cancelled.outcome).to.include({ code: "client_replaced", action: "show", message });
        expect(cancelled.outcome.receipts[0].transactionHash).to.equal(cancelled.again);
        const sped = await receiptOf({});
        expect(sped.outcome).to.include({ status: "0x1", transactionHash: sped.again });
        expect(sped.hash).to.not.equal(sped.again);
      });
    });
  }

  describe("simulates a call before the user is asked, and", () => {
    const to = `0x${"12".repeat(20)}`;
    const hash = `0x${"34".repeat(32)}`;
    const revert = `${id("AlreadyEnrolled()").slice(0, 10)}`;

    /** A wallet with a gas limit of its own, which sends whatever it is asked to send, and answers a simulation so. */
    function careless(simulation: () => unknown) {
      const asked: unknown[] = [];
      const wallet: Eip1193Connection = {
        async request({ method, params }) {
          if (method === "eth_chainId") return "0x14a34";
          asked.push([method, params]);
          return method === "eth_call" ? simulation() : hash;
        },
      };
      // Which would repeat failures.
      const client = createWalletClient({ transport: custom(wallet) });
      return { asked, send: () => sendCall(client, { from: to, to, value: 5n, chainId: 84532 }) };
    }
    const failing = (error: object) => () => {
      throw Object.assign(new Error("It failed."), error);
    };

    it("sends nothing that reverts on the pending state", async () => {
      const { asked, send } = careless(failing({ code: 3, data: revert }));
      expect(await identityError(send)).to.include({ code: "client_reverted", revertData: revert });
      const transaction = { from: to, to, value: "0x5", data: "0x" };
      expect(asked).to.deep.equal([["eth_call", [transaction, "pending"]]]);
    });

    it("asks the user where the simulation does not tell", async () => {
      for (const error of [{ code: -32601 }, { code: 4100 }, { code: 4001 }, { code: -32603 }, {}]) {
        const { asked, send } = careless(failing(error));
        expect(await send()).to.equal(hash);
        expect(asked, `after ${JSON.stringify(error)}`).to.have.length(2);
      }
    });

    it("waits five seconds at most", async () => {
      const timers = holdTimers(5_000);
      const { asked, send } = careless(() => new Promise(() => {}));
      const sent = send();
      await setImmediate();
      expect(asked).to.have.length(1);
      timers.end();
      expect(await sent).to.equal(hash);
    });
  });

  describe("on the caller's chain alone:", () => {
    const to = `0x${"12".repeat(20)}`;
    const call = { from: to, to, value: 5n, chainId: 84532 };

    /** A wallet whose user changes its network during one of its requests. */
    function wandering(during: string, refusal: Error | undefined) {
      const sent: unknown[] = [];
      let chainId = "0x14a34";
      const wallet: Eip1193Connection = {
        async request({ method, params }) {
          if (method === during) chainId = "0x1";
          if (method === "eth_chainId") return chainId;
          if (method !== "eth_sendTransaction") return "0x";
          sent.push(params);
          if (refusal !== undefined) throw refusal;
          return `0x${"34".repeat(32)}`;
        },
      };
      return { wallet, sent };
    }

    it("names it in the transaction, so a wallet on another one refuses", async () => {
      const { wallet, sent } = wandering("none", undefined);
      await sendCall(wallet, call);
      expect(sent).to.deep.equal([[{ from: to, to, value: "0x5", data: "0x", chainId: "0x14a34" }]]);
    });

    it("sends nothing if the wallet changes its network during the simulation", async () => {
      const { wallet, sent } = wandering("eth_call", undefined);
      await expectFailure(
        () => sendCall(wallet, call),
        "client_wrong_chain",
        "The wallet is on chain 1; this needs chain 84532.",
        {},
      );
      expect(sent).to.deep.equal([]);
    });

    for (const [code, message] of [
      [-32602, "Invalid parameters."],
      [-32603, "Invalid transaction params: chainId does not match the active chain"],
      [-32000, "chainId does not match node's (have=84532, want=1)"],
      [4901, "The provider is not connected to the requested chain."],
      [undefined, "Provided chainId mismatch"],
    ] as const) {
      it(`reads a refusal by a wallet on another chain: ${code} ${message}`, async () => {
        const { wallet } = wandering("eth_sendTransaction", Object.assign(new Error(message), { code }));
        const error = await identityError(() => sendCall(wallet, call));
        expect(error).to.include({ code: "client_wrong_chain", action: "show" });
        expect(error.message).to.include("The wallet is not on chain 84532: ");
      });
    }
  });

  describe("reads from the wallet's error that nothing was sent:", () => {
    const to = `0x${"12".repeat(20)}`;
    const send = (error: unknown, isLater = false) => {
      const wallet: Eip1193Connection = {
        async request({ method }) {
          if (method === "eth_chainId") return "0x14a34";
          if (method === "eth_call") return "0x";
          if (isLater) await new Promise((resolve) => setTimeout(resolve, 20));
          throw error;
        },
      };
      return sendCall(wallet, { from: to, to, chainId: 84532 });
    };
    const inner = (message: string) => ({
      code: -32603,
      message: "Internal JSON-RPC error.",
      data: { message },
    });
    const unsent: [string, unknown][] = [
      ["Coinbase Wallet, whose window the browser blocks", inner("Pop up window failed to open")],
      ["Coinbase Wallet's older window", inner("Pop up window was blocked. Try again.")],
      ["Torus's window", new Error("popup window is blocked")],
      ["MetaMask with a locked Ledger", inner("Ledger device: Locked device (0x5515)")],
      ["MetaMask with a Ledger that signs no data", inner("Ledger: Blind signing must be enabled")],
      ["a Ledger that is unplugged", Object.assign(new Error("no device"), { name: "DisconnectedDevice" })],
      ["a Ledger that is locked", Object.assign(new Error("locked"), { name: "LockedDeviceError" })],
      [
        "a Trezor without permission",
        { code: "Method_PermissionsNotGranted", message: "Permissions not granted" },
      ],
      ["an extension that was updated", { code: -32603, message: "Extension context invalidated." }],
      [
        "an extension without a background",
        new Error("Could not establish connection. Receiving end does not exist."),
      ],
      ["an extension's closed port", new Error("Attempting to use a disconnected port object")],
      [
        "a passkey that is kept back",
        new DOMException("The operation either timed out or was not allowed.", "NotAllowedError"),
      ],
      ["an account without ether, in MetaMask", inner("insufficient funds for gas * price + value")],
      ["an account without ether, at Nethermind", { code: -32010, message: "InsufficientFunds, Balance: 0" }],
      [
        "a price that is too low, at Nethermind",
        { code: -32010, message: "FeeTooLow, MaxFeePerGas too low" },
      ],
      ["an account without ether, in ethers", { code: "INSUFFICIENT_FUNDS", message: "it costs too much" }],
      ["code as a text", { code: "-32602", message: "Invalid parameters" }],
      [
        "MetaMask with a Ledger that shows no data",
        inner("Please enable Blind signing or Contract data in the Ethereum app Settings"),
      ],
      ["WalletConnect before it connects", new Error("Please call connect() before request()")],
      [
        "WalletConnect without its session",
        { code: 2, message: "No matching key. session topic doesn't exist: 1" },
      ],
      ["WalletConnect on a chain that the session lacks", { code: 5100, message: "Unsupported chains." }],
      [
        "WalletConnect for a method that the wallet lacks",
        { code: 5201, message: "Unknown method(s) requested" },
      ],
      ["WalletConnect without the method", { code: 5101, message: "Unsupported methods." }],
      ["a call of no function in the page", new TypeError("e?.split is not a function")],
      [
        "a call of nothing in the page",
        new TypeError("Cannot read properties of undefined (reading 'request')"),
      ],
      ["the same in Safari", new TypeError("undefined is not an object (evaluating 'a.b')")],
      ["an unknown name in the page", new ReferenceError("Buffer is not defined")],
    ];
    for (const [what, error] of unsent) {
      it(what, async () => {
        expect(await identityError(() => send(error))).to.include({
          code: "client_rpc_error",
          action: "show",
        });
      });
    }

    const rejected: [string, unknown][] = [
      ["a text in place of an error", "User rejected the transaction"],
      ["a code as a text", { code: "4001", message: "No" }],
      ["Trust Wallet", { code: -32000, message: "User cancelled the request" }],
      ["a wallet on Trust Wallet's provider", new Error("Canceled")],
      ["its older version", { code: -1, message: "cancelled" }],
      ["a Ledger", inner("Ledger device: Condition of use not satisfied (denied by the user?) (0x6985)")],
      ["a Ledger's library", Object.assign(new Error("no"), { name: "UserRefusedOnDevice" })],
      ["MetaMask with a Ledger", inner("Ledger: User rejected the transaction")],
      ["a Trezor", { code: "Failure_ActionCancelled", message: "Cancelled" }],
      ["WalletConnect", { code: 1, message: "Rejected by user" }],
      ["WalletConnect's methods", { message: "User disapproved requested methods" }],
      ["a wallet with a verb of its own", { code: -32603, message: "Request declined by the user" }],
    ];
    for (const [what, error] of rejected) {
      it(`${what} rejects`, async () => {
        expect(await identityError(() => send(error))).to.include({ code: "client_user_rejected" });
      });
    }

    const unknown: [string, unknown, isLater?: boolean][] = [
      ["Chrome's lost connection", new TypeError("Failed to fetch")],
      ["Firefox's lost connection", new TypeError("NetworkError when attempting to fetch resource.")],
      ["Safari's lost connection", new TypeError("Load failed")],
      ["React Native's lost connection", new TypeError("Network request failed")],
      ["Node's lost connection", new TypeError("terminated")],
      [
        "a TypeError after the wallet had time",
        new TypeError("Cannot read properties of null (reading 'hash')"),
        true,
      ],
      ["Chrome's closed port", new Error("The message port closed before a response was received.")],
      ["Nethermind, which has it", { code: -32010, message: "AlreadyKnown" }],
      ["a transaction pool that has it", { code: -32000, message: "tx already in mempool" }],
      ["a hash beside it", { code: -32000, message: "already known", data: `0x${"34".repeat(32)}` }],
      ["ethers, whose nonce is used", { code: -32000, message: "nonce has already been used" }],
      [
        "a node with another transaction of the nonce",
        { code: -32000, message: "replacement transaction underpriced" },
      ],
      [
        "ethers, with another transaction of the nonce",
        { code: "REPLACEMENT_UNDERPRICED", message: "replacement fee too low" },
      ],
      ["Erigon, with another one", { code: -32000, message: "could not replace existing tx" }],
      ["Nethermind, with another one", { code: -32010, message: "ReplacementNotAllowed, CurrentFee: 7" }],
      ["Nethermind, whose account has used it", { code: -32010, message: "OwnNonceAlreadyUsed" }],
      [
        "OpenEthereum, with another one",
        { code: -32010, message: "There is another transaction with same nonce in the queue." },
      ],
      ["a gateway that waited", { code: -32000, message: "request timed out" }],
      ["a gateway whose node is gone", { code: -32000, message: "502 Bad Gateway" }],
      ["a gateway whose node broke off", { code: -32000, message: 'Post "http://node": EOF' }],
      ["Trezor's failed broadcast", { code: 1, message: "eth_sendTransaction push error" }],
      ["a session that ended", { code: -32603, message: "Session disconnected" }],
      ["nothing", undefined],
    ];
    for (const [what, error, isLater] of unknown) {
      it(`but not from ${what}`, async () => {
        expect(await identityError(() => send(error, isLater))).to.include({
          code: "client_outcome_unknown",
        });
      });
    }
  });

  describe("asks each connection as its library wants it:", () => {
    const to = `0x${"12".repeat(20)}`;

    it("with one argument, because others take a second one for a chain or a time (EIP-1193)", async () => {
      const counts = new Set<number>();
      const wallet = {
        async request(...given: [{ readonly method: string }]) {
          counts.add(given.length);
          const [{ method }] = given;
          return method === "eth_chainId" ? "0x14a34" : `0x${"34".repeat(32)}`;
        },
      };
      await sendCall(wallet, { from: to, to, chainId: 84532 });
      expect([...counts]).to.deep.equal([1]);
    });

    it("with an object of its own, which some wallets change", async () => {
      const sent: unknown[] = [];
      const wallet: Eip1193Connection = {
        async request({ method, params }) {
          if (method === "eth_chainId") return "0x14a34";
          const [transaction] = params as Record<string, unknown>[];
          sent.push({ ...transaction });
          for (const name of Object.keys(transaction ?? {})) delete transaction?.[name];
          return `0x${"34".repeat(32)}`;
        },
      };
      await sendCall(wallet, { from: to, to, data: "0x12345678", chainId: 84532 });
      const simulated = { from: to, to, value: "0x0", data: "0x12345678" };
      expect(sent).to.deep.equal([simulated, { ...simulated, chainId: "0x14a34" }]);
    });

    it("with a viem client's local account, which signs by itself", async () => {
      const account = privateKeyToAccount(`0x${"51".repeat(32)}`);
      const client = createWalletClient({ account, transport: http(node.rpcUrl) });
      const given = { method: "hardhat_setBalance", params: [account.address, "0xde0b6b3a7640000"] };
      await client.request(given as never);
      await client.request({ method: "evm_setAutomine", params: [true] } as never);
      const message = "Hello ✓";
      const signature = await signMessage(client, { address: account.address, message });
      expect(verifyMessage(message, signature)).to.equal(account.address);
      const hash = await sendCall(client, { from: account.address, to, value: 7n, chainId: 84532 });
      const receipt = await waitForReceipt(client, { hash, interval: 10 });
      expect(receipt.status).to.equal("0x1");
      const sent = await client.request({ method: "eth_getTransactionByHash", params: [hash] } as never);
      expect(sent).to.include({ chainId: "0x14a34", value: "0x7", from: account.address.toLowerCase() });
    });

    it("and sends nothing that a local account cannot pay", async () => {
      const account = privateKeyToAccount(`0x${"52".repeat(32)}`);
      const client = createWalletClient({ account, transport: http(node.rpcUrl) });
      const error = await identityError(() =>
        sendCall(client, { from: account.address, to, value: 7n, chainId: 84532 }),
      );
      expect(error.code).to.equal("client_rpc_error");
    });
  });

  describe("while it waits, counts no answer of another chain:", () => {
    const hash = `0x${"34".repeat(32)}`;
    const from = `0x${"12".repeat(20)}`;
    const transaction = { hash, from, nonce: "0x5", to: from, value: "0x0", input: "0x" };
    const other = { ...transaction, hash: `0x${"56".repeat(32)}`, value: "0x1" };
    const stranger = { ...other, hash: `0x${"78".repeat(32)}`, from: `0x${"9a".repeat(20)}` };

    /** A wallet that knows the transaction, and whose user then looks at a young chain with another one. */
    function looking(chains: readonly string[], more: object) {
      const rest = [...chains];
      const asked: unknown[] = [];
      const answers: Record<string, (params: readonly unknown[]) => unknown> = {
        eth_chainId: () => (rest.length > 1 ? rest.shift() : rest[0]),
        eth_getTransactionByHash: () => ({ ...transaction, ...more }),
        eth_getTransactionCount: () => "0x6",
        eth_blockNumber: () => "0x2",
        eth_getBlockByNumber: ([number]) => ({ transactions: number === "0x0" ? [stranger, other] : [] }),
        eth_getTransactionReceipt: ([asked]) =>
          asked === other.hash ? { transactionHash: other.hash, blockNumber: "0x0", status: "0x1" } : null,
      };
      const wallet: Eip1193Connection = {
        async request({ method, params }) {
          asked.push([method, params]);
          return answers[method]?.(params as readonly unknown[]);
        },
      };
      return { wallet, asked };
    }
    const wait = (wallet: Eip1193Connection) =>
      identityError(() => waitForReceipt(wallet, { hash, interval: 1, signal: AbortSignal.timeout(100) }));

    it("a transaction with the same nonce is no replacement", async () => {
      for (const [chains, more] of [
        [["0x1"], { chainId: "0x14a34" }],
        [["0x14a34", "0x1"], {}],
        [["0x14a34", "0x14a34", "0x1"], {}],
      ] as const) {
        const { wallet } = looking(chains, more);
        const outcome = await waitForReceipt(wallet, {
          hash,
          interval: 1,
          signal: AbortSignal.timeout(100),
        }).catch((error) => error);
        expect(outcome).to.include({ name: "TimeoutError" });
      }
    });

    it("and finds a replacement in the first block of a young chain, without asking for one before it", async () => {
      const { wallet, asked } = looking(["0x14a34"], {});
      expect(await wait(wallet)).to.include({ code: "client_replaced" });
      expect(JSON.stringify(asked)).to.not.include("0x-");
    });
  });

  it("recognizes a revert by its code alone if the wallet hides the data", async () => {
    for (const reverting of ["eth_call", "eth_sendTransaction"]) {
      const wallet: Eip1193Connection = {
        async request({ method }) {
          if (method !== reverting) return "0x14a34";
          throw Object.assign(new Error("execution reverted"), { code: 3 });
        },
      };
      const to = `0x${"12".repeat(20)}`;
      const send = () => sendCall(wallet, { from: to, to, chainId: 84532 });
      await expectFailure(send, "client_reverted", `${reverting} failed: execution reverted`, { rpcCode: 3 });
    }
  });

  describe("once a wallet may have taken it", () => {
    const to = `0x${"12".repeat(20)}`;
    const asked = { from: to, to, chainId: 84532 };

    /** A wallet that takes what it is asked to send, and then answers so. Errors are thrown. */
    function taking(answer: unknown) {
      const wallet = {
        taken: 0,
        async request({ method }: { readonly method: string }) {
          if (method === "eth_chainId") return "0x14a34";
          if (method === "eth_call") return "0x";
          wallet.taken++;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      };
      return wallet;
    }
    const failing = (code: unknown, message = "It failed.") => Object.assign(new Error(message), { code });

    const answers = [null, undefined, "", "0x12", 1, { hash: `0x${"12".repeat(32)}` }];
    const errors = [
      failing(undefined, "Failed to fetch"),
      failing(-32603),
      failing(-32002, "already pending"),
      failing(8000, "Request expired. Please try again."),
      failing(4900, "Disconnected"),
      ...["already known", "Already imported", "already exists", "known transaction", "nonce too low"].map(
        (message) => failing(-32000, message),
      ),
      new DOMException("It took too long.", "TimeoutError"),
    ];
    for (const answer of [...answers, ...errors]) {
      it(`never asks for a retry: ${answer instanceof Error ? `${answer} ${Reflect.get(answer, "code")}` : JSON.stringify(answer)}`, async () => {
        const error = await identityError(() => sendCall(taking(answer), asked));
        expect(error).to.include({ code: "client_outcome_unknown", action: "show" });
        const { message = "", code = 0 } = Object(answer);
        const refused = `${code === -32000 ? "was refused" : "failed"}: ${message.replace(/\.$/, "")}.`;
        const what = answer instanceof Error ? refused : "cannot be read.";
        expect(error.message).to.equal(
          `${answer instanceof Error ? "" : "The answer to "}eth_sendTransaction ${what} It may still have taken effect: check before you send it again.`,
        );
      });
    }

    it("asks once, although a viem client repeats failures", async () => {
      for (const code of [undefined, -32603, -1]) {
        const wallet = taking(failing(code));
        const client = createWalletClient({ transport: custom(wallet) });
        await identityError(() => sendCall(client, asked));
        expect(wallet.taken, `after ${code}`).to.equal(1);
      }
    });

    it("distinguishes a refusal from an unknown outcome", async () => {
      const codes = [
        -32700, -32600, -32601, -32602, -32000, -32003, -32004, -32005, 4001, 4100, 4200, 4902, 5700, 5710,
        5740, 5750, 5760,
      ];
      for (const rpcCode of codes) {
        const error = Object.assign(new Error("Internal"), {
          code: -32603,
          data: { code: rpcCode, message: "insufficient funds" },
        });
        const [code, message] =
          rpcCode === 4001
            ? (["client_user_rejected", "The user rejected the request."] as const)
            : (["client_rpc_error", "eth_sendTransaction was refused: insufficient funds"] as const);
        await expectFailure(() => sendCall(taking(error), asked), code, message, { rpcCode });
      }
    });
  });

  it("tells a library's own object from a missing wallet", async () => {
    const ethers = new JsonRpcProvider("http://127.0.0.1:1", 84532, { staticNetwork: true });
    const to = `0x${"12".repeat(20)}`;
    const send = (wallet: unknown) =>
      identityError(() => sendCall(wallet as Eip1193Connection, { from: to, to, chainId: 84532 }));
    const details = { code: "client_invalid_argument", argument: "wallet" };
    const misplaced = await send(ethers);
    expect(misplaced).to.include(details);
    expect(misplaced.message).to.include("The connection has no request()");
    const missing = await send(undefined);
    expect(missing).to.include(details);
    expect(missing.message).to.include("is there a wallet in this browser?");
  });

  it("reads a receipt whose status is padded, and returns it in JSON-RPC's form", async () => {
    for (const [status, outcome] of [
      ["0x01", "0x1"],
      ["0x00", "client_reverted"],
    ] as const) {
      const node: Eip1193Connection = { request: async () => ({ status, blockNumber: "0x5" }) };
      const found = await waitForReceipt(node, { hash: `0x${"12".repeat(32)}`, interval: 1 }).then(
        (receipt) => receipt.status,
        (error) => error.code,
      );
      expect(found).to.equal(outcome);
    }
  });

  it("does not mistake an invalid chain id for another chain", async () => {
    const to = `0x${"12".repeat(20)}`;
    for (const answer of [null, undefined, "base", {}]) {
      const wallet: Eip1193Connection = { request: async () => answer };
      const error = await identityError(() => sendCall(wallet, { from: to, to, chainId: 84532 }));
      const message = "The answer to eth_chainId cannot be read.";
      expect(error).to.include({ code: "client_invalid_response", message });
    }
  });

  describe("before anything is sent", () => {
    const address = `0x${"12".repeat(20)}`;
    const good = { from: address, to: address, chainId: 84532 };
    const miscast = "0x5FbDB2315678afecb367f032d93F642f64180aA3";
    const bad: [string, unknown, wanted: string][] = [
      ["from", "0x12", 'an address (0x and 40 hex digits), got "0x12"'],
      ["from", [address], "an address (0x and 40 hex digits), got an array"],
      ["to", miscast, `an address with its EIP-55 checksum, got "${miscast}"`],
      ["value", 5, "a bigint of wei, got 5"],
      ["value", -1n, "a bigint of wei, got -1n"],
      ["value", 1n << 256n, `a bigint of wei, got ${1n << 256n}n`],
      ["data", "0x1", "bytes as hex after 0x"],
      ["chainId", undefined, "a positive integer, got nothing"],
    ];
    for (const [argument, value, wanted] of bad) {
      it(`refuses ${String(value)} as ${argument}`, async () => {
        let sent = 0;
        const connection: Eip1193Connection = { request: async () => ++sent };
        const options = { ...good, [argument]: value } as Parameters<typeof sendCall>[1];
        await expectRefusal(() => sendCall(connection, options), argument, wanted);
        expect(sent).to.equal(0);
      });
    }

    it("refuses an invalid transaction hash", async () => {
      const connection: Eip1193Connection = { request: async () => null };
      const wanted = '32 bytes as hex after 0x, got "0x12"';
      await expectRefusal(() => waitForReceipt(connection, { hash: "0x12" }), "hash", wanted);
    });
  });
});
