import { inspect } from "node:util";
import { expect } from "chai";
import { id } from "ethers";
import { network } from "hardhat";
import { encodeCall, isIdentityUsed, sendCalls, waitForCalls } from "../../../packages/client/index.ts";
import type { Eip1193Connection } from "../../../packages/protocol/eip1193.ts";
import { expectRefusal, identityError } from "../../fixtures/client/identityError.ts";
import { heldToDescription } from "../../fixtures/wallet/openRpc.ts";

const depositAbi = "deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)";

describe("sendCalls and waitForCalls", () => {
  /** A wallet with tokens, and a vault that takes them with a verification. */
  async function fixture() {
    const connection = await network.create("identityLocal");
    const { ethers, identity } = connection;
    const registry = await identity.deployRegistry();
    const token = await ethers.deployContract("ExampleToken");
    const vault = await ethers.deployContract("VerifiedVault", [registry.target, token.target]);
    const [, alice] = await ethers.getSigners();
    if (!alice) throw new Error("The node has too few accounts.");
    await token.mint(alice.address, 100n);
    const consumer = await vault.getAddress();
    const verification = await identity.mint({ consumer, user: alice.address, identity: "alice" });
    const approve = {
      to: await token.getAddress(),
      data: encodeCall({
        abi: "approve(address spender, uint256 amount)",
        args: { spender: consumer, amount: 25n },
      }),
    };
    const deposit = (amount: bigint) => ({
      to: consumer,
      data: encodeCall({
        abi: depositAbi,
        verification,
        args: { amount },
      }),
    });
    return {
      wallet: identity.wallet,
      provider: connection.provider,
      identity,
      vault,
      // Requests and results are held to the wallet API's published description.
      connection: heldToDescription(connection.provider),
      token,
      consumer,
      verification,
      approve,
      deposit,
      batch: { from: alice.address, chainId: 84532, atomicRequired: true },
    };
  }

  it("executes a claim and its approval as one batch", async () => {
    const { connection, token, consumer, verification, approve, deposit, batch } = await fixture();
    const { batchId, status } = await sendCalls(connection, { ...batch, calls: [approve, deposit(25n)] });
    expect(status).to.equal("pending");
    const executed = await waitForCalls(connection, { batchId, interval: 10 });

    expect(executed).to.include({ status: 200, atomic: true });
    expect(executed.receipts.map((receipt) => receipt.status)).to.deep.equal(["0x1"]);
    expect(await token.balanceOf(consumer)).to.equal(25n);
    const { identityHash } = verification;
    expect(await isIdentityUsed(connection, { consumer, identityHash, block: "latest" })).to.equal(true);
  });

  for (const [what, atomicRequired, code, statuses, allowance] of [
    ["a reverted batch, which leaves nothing behind", true, "client_reverted", ["0x0"], 0n],
    ["a batch that was executed in part", false, "client_partially_reverted", ["0x1", "0x0"], 25n],
  ] as const) {
    it(`reports ${what}`, async () => {
      const { connection, token, consumer, approve, deposit, batch } = await fixture();
      const calls = [approve, deposit(26n)];
      const { batchId } = await sendCalls(connection, { ...batch, atomicRequired, calls });
      const error = await identityError(() => waitForCalls(connection, { batchId, interval: 10 }));
      const reason = token.interface.encodeErrorResult("ERC20InsufficientAllowance", [consumer, 25n, 26n]);
      expect(error).to.include({ code, action: "show", revertData: reason });
      expect(error.receipts?.map((receipt) => receipt.status)).to.deep.equal(statuses);
      expect(await token.allowance(batch.from, consumer)).to.equal(allowance);
    });
  }

  it("reports why a batch was reverted that was mined later, and what to do about it", async () => {
    const { connection, provider, approve, identity, vault, batch } = await fixture();
    const user = batch.from;
    const args = { amount: 25n };
    const deposit = (verification: Awaited<ReturnType<typeof identity.mint>>) => ({
      to: vault.target as string,
      data: encodeCall({ abi: depositAbi, verification, args }),
    });
    const late = deposit(await identity.mint({ consumer: vault, user, identity: "alice", expired: true }));
    for (const automine of [true, false]) {
      await provider.request({ method: "evm_setAutomine", params: [automine] });
      const { batchId } = await sendCalls(connection, { ...batch, calls: [approve, late] });
      if (!automine) await provider.request({ method: "evm_mine" });
      const error = await identityError(() => waitForCalls(connection, { batchId, interval: 10 }));
      expect(error).to.include({ code: "client_verification_expired", action: "rebuild" });
      expect(error.receipts).to.have.length(1);
    }
  });

  it("passes on id, value and the capabilities of batch and calls", async () => {
    const { connection, batch } = await fixture();
    const capabilities = { gasLimitOverride: { value: "0x7530" } };
    const to = `0x${"12".repeat(20)}`;
    const calls = [{ to, value: 5n, capabilities }];
    const paymaster = { paymasterService: { optional: true } };
    const sent = await sendCalls(connection, { ...batch, id: "0xabcd", calls, capabilities: paymaster });
    expect(sent.batchId).to.equal("0xabcd");
    expect((await waitForCalls(connection, sent)).status).to.equal(200);
    const balance = await connection.request({ method: "eth_getBalance", params: [to, "latest"] });
    expect(balance).to.equal("0x5");

    // A capability that the wallet lacks is refused, wherever it stands: so it arrived.
    const lacking = { paymasterService: {} };
    for (const more of [{ capabilities: lacking }, { calls: [{ to, capabilities: lacking }] }]) {
      const asked = { ...batch, calls, ...more };
      const error = await identityError(() => sendCalls(connection, asked));
      expect(error).to.include({ code: "client_rpc_error", rpcCode: 5700 });
    }
  });

  it("reports full execution by a wallet with a bare or odd status", async () => {
    for (const rest of [{}, { atomic: "yes", receipts: null }, { receipts: "none" }]) {
      const wallet = { request: async () => ({ status: 200, ...rest }) };
      const executed = await waitForCalls(wallet, { batchId: "0x77", interval: 1 });
      expect(executed).to.deep.equal({ status: 200, atomic: false, receipts: [] });
    }
  });

  it("waits until a pending batch is mined", async () => {
    const { connection, approve, batch } = await fixture();
    await connection.request({ method: "evm_setAutomine", params: [false] });
    const finished = waitForCalls(connection, {
      ...(await sendCalls(connection, { ...batch, calls: [approve] })),
      interval: 10,
    });
    await connection.request({ method: "evm_mine", params: [] });
    expect((await finished).status).to.equal(200);
  });

  const to = `0x${"12".repeat(20)}`;
  const asked = { from: to, chainId: 84532, atomicRequired: true, calls: [{ to }, { to }] };
  /** A wallet that answers so to what is asked of it beside its chain. Errors are thrown. */
  const answering = (answer: unknown, requests: unknown[] = []): Eip1193Connection => ({
    async request(request) {
      if (request.method === "eth_chainId") return "0x14a34";
      requests.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });

  const named: [string, unknown, string | undefined][] = [
    ["as the specification does", { batchId: "0x77", status: "pending" }, "pending"],
    ["as EIP-5792 does, and a status that is no text", { id: "0x77", status: 100 }, undefined],
    ["as the specification does, beside an id of its own", { id: "0x88", batchId: "0x77" }, undefined],
    ["by the id alone", "0x77", undefined],
  ];
  for (const [how, answer, status] of named) {
    it(`reads the batch's id from a wallet that names it ${how}`, async () => {
      const requests: unknown[] = [];
      const wallet = answering(answer, requests);
      expect(await sendCalls(wallet, asked)).to.deep.equal({ batchId: "0x77", status });
      const calls = [
        { to, value: "0x0", data: "0x" },
        { to, value: "0x0", data: "0x" },
      ];
      const parameter = { version: "2.0.0", from: to, chainId: "0x14a34", atomicRequired: true, calls };
      expect(requests).to.deep.equal([{ method: "wallet_sendCalls", params: [parameter] }]);
    });
  }

  for (const answer of [null, undefined, "", 7, [], {}, { id: 7 }, { hash: "0x77" }]) {
    it(`never asks for a retry if the answer names no batch: ${JSON.stringify(answer)}`, async () => {
      const error = await identityError(() => sendCalls(answering(answer), asked));
      expect(error).to.include({ code: "client_outcome_unknown", action: "show" });
    });
  }

  it("never asks for a new message if a part of the batch may have been sent", async () => {
    const expired = Object.assign(new Error("reverted"), {
      code: 3,
      data: `0x66340904${"00".repeat(32)}`,
    });
    const actionOf = async (options: object) =>
      (await identityError(() => sendCalls(answering(expired), { ...asked, ...options }))).action;
    expect(await actionOf({})).to.equal("rebuild");
    expect(await actionOf({ atomicRequired: false, calls: [{ to }] })).to.equal("rebuild");
    expect(await actionOf({ atomicRequired: false })).to.equal("show");
  });

  const [done, undone] = [{ status: "0x1" }, { status: "0x0" }];
  const outcomes: [object, string, what?: string][] = [
    [{ status: "CONFIRMED", receipts: [done, done] }, "200"],
    [{ status: "CONFIRMED" }, "200"],
    [{ status: "CONFIRMED", receipts: [undone] }, "client_reverted", "was reverted (status 500)"],
    [
      { status: 200, receipts: [done, undone] },
      "client_partially_reverted",
      "was executed in part (status 600)",
    ],
    [{ status: 299, receipts: [undone] }, "client_reverted", "was reverted (status 500)"],
    [{ status: 200, receipts: [null] }, "200"],
    [{ status: "200" }, "200"],
    [{ status: 200, receipts: [{ transactionHash: "0x12" }] }, "200"],
    [{ status: "0xc8" }, "200"],
    [{ status: 201 }, "201"],
    [{ status: 300, receipts: [undone] }, "client_batch_failed", "was not sent (status 300)"],
    [{ status: 400 }, "client_batch_failed", "was not sent (status 400)"],
    [{ status: 500, receipts: [done, undone] }, "client_reverted", "was reverted (status 500)"],
    [{ status: 699, receipts: [undone] }, "client_partially_reverted", "was executed in part (status 699)"],
  ];
  for (const [answer, outcome, what] of outcomes) {
    it(`reads ${JSON.stringify(answer)} as ${outcome}`, async () => {
      const found = await waitForCalls(answering(answer), { batchId: "0x77", interval: 1 }).then(
        ({ status }) => [String(status)],
        ({ code, message }) => [code, message],
      );
      expect(found).to.deep.equal([outcome, ...(what ? [`The batch ${what}.`] : [])]);
    });
  }

  for (const [status, outcome] of [
    ["0x1", "200"],
    ["0x01", "200"],
    [1, "200"],
    ["success", "200"],
    ["0x0", "client_reverted"],
    ["0x00", "client_reverted"],
    [0, "client_reverted"],
    ["reverted", "client_reverted"],
    [null, "client_outcome_unknown"],
    ["", "client_outcome_unknown"],
    ["ok", "client_outcome_unknown"],
    [2, "client_outcome_unknown"],
    [true, "client_outcome_unknown"],
    [[1], "client_outcome_unknown"],
  ] as const) {
    it(`reads a confirmed batch whose receipt has the status ${JSON.stringify(status)} as ${outcome}`, async () => {
      const answer = answering({ status: 200, receipts: [{ status }] });
      const found = await waitForCalls(answer, { batchId: "0x77", interval: 1 }).then(
        (executed) => String(executed.status),
        (error) => error.code,
      );
      expect(found).to.equal(outcome);
    });
  }

  it("returns no receipt that is none", async () => {
    const answer = answering({ status: 200, receipts: [null, done] });
    const { receipts } = await waitForCalls(answer, { batchId: "0x77", interval: 1 });
    expect(receipts).to.deep.equal([done]);
  });

  it("does not take an older wallet's word for a batch whose receipt does not tell", async () => {
    const answer = answering({ status: "CONFIRMED", receipts: [{ transactionHash: "0x12" }] });
    const error = await identityError(() => waitForCalls(answer, { batchId: "0x77", interval: 1 }));
    expect(error).to.include({ code: "client_outcome_unknown" });
  });

  it("never advises to send the calls again once the wallet has taken the batch", async () => {
    for (const code of [-32601, 4200, 4100, -32004, 5700, 5730, "4200", "UNSUPPORTED_OPERATION"]) {
      const refusal = Object.assign(new Error("The method is not supported."), { code });
      const signal = AbortSignal.timeout(50);
      const error = await waitForCalls(answering(refusal), { batchId: "0x77", interval: 1, signal }).catch(
        (e) => e,
      );
      expect(error.code, String(code)).to.be.oneOf(["client_outcome_unknown", DOMException.TIMEOUT_ERR]);
    }
  });

  it("tells what was not sent from what may have been, also of a batch that may be sent in part", async () => {
    const failing = (code: unknown, message: string) =>
      answering(Object.assign(new Error(message), { code }));
    const outcomes: [code: unknown, message: string, whole: string, part: string][] = [
      [-32601, "no such method", "client_rpc_error", "client_rpc_error"],
      [5760, "not atomic", "client_rpc_error", "client_rpc_error"],
      [4001, "no", "client_user_rejected", "client_user_rejected"],
      [-32000, "Version not supported.", "client_rpc_error", "client_rpc_error"],
      [-32000, "insufficient funds", "client_rpc_error", "client_outcome_unknown"],
      [-32603, "Ledger device: Locked device (0x5515)", "client_rpc_error", "client_outcome_unknown"],
      [-32603, "internal error", "client_outcome_unknown", "client_outcome_unknown"],
      // The wallet has taken a batch of this id before.
      [5720, "duplicate id", "client_outcome_unknown", "client_outcome_unknown"],
      [5101, "Unsupported methods.", "client_rpc_error", "client_rpc_error"],
      [-32603, "wallet_sendCalls is not supported", "client_rpc_error", "client_rpc_error"],
      [
        -32603,
        "the method wallet_sendCalls does not exist / is not available",
        "client_rpc_error",
        "client_rpc_error",
      ],
      [
        -32000,
        "error code -32601: the method wallet_sendCalls does not exist/is not available",
        "client_rpc_error",
        "client_rpc_error",
      ],
      [
        undefined,
        "Missing or invalid. request() method: wallet_sendCalls",
        "client_rpc_error",
        "client_rpc_error",
      ],
    ];
    for (const [code, message, whole, part] of outcomes) {
      for (const [atomicRequired, wanted] of [
        [true, whole],
        [false, part],
      ] as const) {
        const error = await identityError(() =>
          sendCalls(failing(code, message), { ...asked, atomicRequired }),
        );
        expect(error.code, `${code} ${message}, atomic: ${atomicRequired}`).to.equal(wanted);
      }
    }
  });

  it("finds the revert data wherever a wallet puts it", async () => {
    const revertData = "0x12345678";
    for (const more of [
      { revertData },
      { error: { data: revertData } },
      { error: { data: { data: revertData } } },
    ]) {
      const answer = answering({ status: 500, receipts: [undone], ...more });
      const error = await identityError(() => waitForCalls(answer, { batchId: "0x77", interval: 1 }));
      expect(error).to.include({ code: "client_reverted", revertData });
    }
    // Apps, and the button, compare it as text: another value counts as none.
    for (const status of [500, 600]) {
      for (const other of [null, 7, {}]) {
        const answer = answering({ status, receipts: [undone], revertData: other });
        const error = await identityError(() => waitForCalls(answer, { batchId: "0x77", interval: 1 }));
        expect(error.code).to.match(/^client_(reverted|partially_reverted)$/);
        expect(error.revertData).to.equal(undefined);
      }
    }
  });

  describe("before anything is sent", () => {
    const good = { from: to, chainId: 84532, atomicRequired: true, calls: [{ to }] };
    const bad: [string, object, wanted: string][] = [
      ["from", { from: "0x12" }, 'an address (0x and 40 hex digits), got "0x12"'],
      ["chainId", { chainId: "0x14a34" }, 'a positive integer, got "0x14a34"'],
      ["atomicRequired", { atomicRequired: undefined }, "true or false, got nothing"],
      ["calls", { calls: undefined }, "an array of calls, got nothing"],
      ["calls[0].to", { calls: [{}] }, "an address (0x and 40 hex digits), got nothing"],
      ["calls[1].value", { calls: [{ to }, { to, value: "0x5" }] }, 'a bigint of wei, got "0x5"'],
      ["calls[0].data", { calls: [{ to, data: id("deposit()").slice(2) }] }, "bytes as hex after 0x"],
    ];
    for (const [argument, change, wanted] of bad) {
      it(`refuses ${inspect(change, { depth: 4, breakLength: Infinity })}, naming ${argument}`, async () => {
        let sent = 0;
        const connection: Eip1193Connection = { request: async () => ++sent };
        const options = { ...good, ...change } as Parameters<typeof sendCalls>[1];
        await expectRefusal(() => sendCalls(connection, options), argument, wanted);
        expect(sent).to.equal(0);
      });
    }

    it("refuses to wait for what is no batch's id", async () => {
      const batchId = 0x77 as unknown as string;
      await expectRefusal(() => waitForCalls(answering(null), { batchId }), "batchId", "a text, got 119");
    });
  });
});
