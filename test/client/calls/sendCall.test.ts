import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { BrowserProvider, id, JsonRpcProvider } from "ethers";
import { createWalletClient, custom, http } from "viem";
import { encodeCall, isIdentityUsed, sendCall, waitForReceipt } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
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

        expect(error).to.include({ code: "REVERTED", action: "show" });
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
        expect(error).to.include({ code: "PACE_EXCEEDED", action: "retry-later" });
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
        expect(error).to.include({ code: "REVERTED", action: "show", message });
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

        expect(error).to.include({ code: "WRONG_CHAIN", action: "show" });
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
              return JSON.parse(JSON.stringify(answer).replaceAll(enroll.to.toLowerCase(), enroll.to));
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
        expect(cancelled.outcome).to.include({ code: "REPLACED", action: "show", message });
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
      expect(await identityError(send)).to.include({ code: "REVERTED", revertData: revert });
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
      await expectFailure(send, "REVERTED", `${reverting} failed: execution reverted`, { rpcCode: 3 });
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
        expect(error).to.include({ code: "OUTCOME_UNKNOWN", action: "show" });
        const { message = "", code = 0 } = Object(answer);
        const refused = `${code === -32000 ? "was refused" : "failed"}: ${message.replace(/\.$/, "")}.`;
        const what = answer instanceof Error ? refused : "cannot be read.";
        expect(error.message).to.equal(
          `${answer instanceof Error ? "" : "The answer to "}eth_sendTransaction ${what} It may have taken effect all the same: look before you send it again.`,
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
        ...[-32700, -32600, -32601, -32602, -32000, -32003, -32004, -32005, 4001, 4100, 4200, 4902],
        ...[5700, 5710, 5720, 5740, 5750, 5760],
      ];
      for (const rpcCode of codes) {
        const error = Object.assign(new Error("Internal"), {
          ...{ code: -32603, data: { code: rpcCode, message: "insufficient funds" } },
        });
        const [code, message] =
          rpcCode === 4001
            ? (["USER_REJECTED", "The user rejected the request."] as const)
            : (["RPC_ERROR", "eth_sendTransaction was refused: insufficient funds"] as const);
        await expectFailure(() => sendCall(taking(error), asked), code, message, { rpcCode });
      }
    });
  });

  it("does not mistake an invalid chain id for another chain", async () => {
    const to = `0x${"12".repeat(20)}`;
    for (const answer of [null, undefined, "base", {}]) {
      const wallet: Eip1193Connection = { request: async () => answer };
      const error = await identityError(() => sendCall(wallet, { from: to, to, chainId: 84532 }));
      const message = "The answer to eth_chainId cannot be read.";
      expect(error).to.include({ code: "INVALID_RESPONSE", message });
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
      ["value", 5, "a bigint of wei, got number 5"],
      ["value", -1n, "a bigint of wei, got bigint -1"],
      ["value", 1n << 256n, `a bigint of wei, got bigint ${1n << 256n}`],
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
