import { expect } from "chai";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatUserConfig } from "hardhat/types/config";
import type { CallsStatus, SendCallsRequest } from "../../packages/wallet/index.ts";
import hardhatIdentity from "../../tasks/index.ts";
import { rejection } from "../fixtures/rejection.ts";
import { replace } from "../fixtures/replace.ts";
import { expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";

describe("connection.identity.wallet", () => {
  it("rejects as many of the next batches as configured", async () => {
    const { batches, wallet, recorder, call } = await walletFixture();
    wallet.rejectNext();
    wallet.rejectNext();
    await expectRefusal(batches.submit([call("record")]), 4001);
    await expectRefusal(batches.submit([call("record")]), 4001);
    await batches.submit([call("record")]);
    expect(await recorder.count()).to.equal(1);
  });

  it("rejects whatever the user is asked next, once, and nothing afterwards", async () => {
    const { wallet, node, alice, bob, batches } = await walletFixture();
    const types = { EIP712Domain: [], Vote: [{ name: "option", type: "uint8" }] };
    const typed = { types, domain: {}, primaryType: "Vote", message: { option: 1 } };
    const questions: readonly [string, unknown[]][] = [
      ["eth_requestAccounts", []],
      ["wallet_requestPermissions", [{ eth_accounts: {} }]],
      ["personal_sign", ["hello", alice.address]],
      ["eth_signTypedData", [alice.address, typed]],
      ["eth_signTypedData_v3", [alice.address, typed]],
      ["eth_signTypedData_v4", [alice.address, typed]],
      ["eth_sendTransaction", [{ from: alice.address, to: bob.address, value: "0x1" }]],
      ["wallet_switchEthereumChain", [{ chainId: "0x14a34" }]],
      ["wallet_addEthereumChain", [{ chainId: "0x14a34" }]],
      ["wallet_sendCalls", [batches.complete([])]],
    ];
    for (const connection of [node, wallet]) {
      for (const [method, params] of questions) {
        wallet.rejectNext();
        expect(wallet.rejectsNext).to.equal(true);
        // This request asks nobody.
        await connection.request({ method: "eth_accounts", params: [] });
        await expectRefusal(connection.request({ method, params }), 4001, "rejectNext() was called.");
        expect(wallet.rejectsNext).to.equal(false);
        await connection.request({ method, params });
      }
    }
  });

  it("rejects no part of a batch that was approved before", async () => {
    const { wallet, batches, call, recorder } = await walletFixture();
    wallet.approve = () => {
      wallet.rejectNext();
      return true;
    };
    await batches.submit([call("record"), call("record")], { atomicRequired: false });
    expect(await recorder.count()).to.equal(2);
    expect(wallet.rejectsNext).to.equal(true);
  });

  it("uses up no rejection for a batch that the user never sees", async () => {
    const { batches, wallet } = await walletFixture();
    wallet.rejectNext();
    await expectRefusal(batches.submit([], { chainId: "0x1" }), -32602);
    await expectRefusal(batches.submit([]), 4001);
  });

  it("asks a function for the user's approval, and shows it the batch", async () => {
    const { batches, wallet, recorder, alice, call } = await walletFixture();
    const asked: SendCallsRequest[] = [];
    wallet.approve = async (request) => {
      asked.push(request);
      return request.calls.length > 1;
    };
    await expectRefusal(batches.submit([call("record", [], { value: "0x2" })], { id: "0x1" }), 4001);
    expect(asked).to.deep.equal([
      {
        id: "0x1",
        from: alice.address.toLowerCase(),
        chainId: "0x14a34",
        atomicRequired: true,
        calls: [
          {
            to: String(recorder.target).toLowerCase(),
            value: 2n,
            data: recorder.interface.encodeFunctionData("record"),
            gasLimit: undefined,
          },
        ],
      },
    ]);
    expect(await batches.send([call("record"), call("record")])).to.include({ status: 200 });
  });

  it("passes on an error of the approval function, and forgets the batch", async () => {
    const { batches, wallet } = await walletFixture();
    wallet.approve = () => {
      throw new Error("A mistake in the test.");
    };
    expect((await rejection(batches.submit([], { id: "0x1" }))).message).to.equal("A mistake in the test.");
    await expectRefusal(batches.status("0x1"), 5730);
    wallet.approve = true;
    expect(await batches.send([], { id: "0x1" })).to.include({ status: 200 });
  });

  it("asks a function for approval of an account's upgrade if one is needed", async () => {
    const { batches, wallet, alice, bob } = await walletFixture();
    const asked: string[] = [];
    wallet.approveUpgrade = (account) => {
      asked.push(account);
      return account === bob.address.toLowerCase();
    };
    await expectRefusal(batches.submit([]), 5750, alice.address.toLowerCase());
    expect(await batches.send([], { atomicRequired: false })).to.include({ atomic: false });
    await batches.send([], { from: bob.address });
    await batches.send([], { from: bob.address });
    expect(asked).to.deep.equal([alice.address.toLowerCase(), bob.address.toLowerCase()]);
  });

  it("judges a batch by the settings at its arrival, and the next by newer ones", async () => {
    const { batches, wallet } = await walletFixture();
    wallet.approveUpgrade = () => {
      wallet.approve = false;
      return true;
    };
    expect(await batches.send([])).to.include({ status: 200, atomic: true });
    await expectRefusal(batches.submit([]), 4001);
  });

  it("accepts an id once, also of two concurrent batches", async () => {
    const { batches, recorder, call } = await walletFixture();
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => batches.submit([call("record")], { id: "0x1" })),
    );
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "rejected"]);
    expect(await recorder.count()).to.equal(1);
  });

  it("authorizes accounts and methods, for each of its methods", async () => {
    const { batches, wallet, node, alice, bob } = await walletFixture();
    const ask = (method: string, ...params: unknown[]) => node.request({ method, params });
    const { id } = await batches.submit([]);

    wallet.authorize({ accounts: [alice.address.toLowerCase()] });
    await batches.submit([]);
    expect(await ask("eth_requestAccounts")).to.deep.equal([alice.address.toLowerCase()]);
    await expectRefusal(batches.submit([], { from: bob.address }), 4100, bob.address.toLowerCase());
    await expectRefusal(ask("wallet_getCapabilities", bob.address), 4100, bob.address.toLowerCase());

    wallet.authorize({ methods: [] });
    await expectRefusal(batches.submit([]), 4100, "wallet_sendCalls");
    await expectRefusal(batches.status(id), 4100, "wallet_getCallsStatus");
    await expectRefusal(ask("wallet_showCallsStatus", id), 4100, "wallet_showCallsStatus");
    await expectRefusal(ask("wallet_getCapabilities", alice.address), 4100, "wallet_getCapabilities");
    await expectRefusal(ask("eth_requestAccounts"), 4100, "eth_requestAccounts");

    // A refused method never comes before the user, and so takes no rejection.
    wallet.rejectNext();
    await expectRefusal(ask("eth_requestAccounts"), 4100, "eth_requestAccounts");
    await expectRefusal(batches.submit([]), 4100, "wallet_sendCalls");
    wallet.authorize();
    await expectRefusal(ask("eth_requestAccounts"), 4001, "rejectNext");
    await batches.submit([], { from: bob.address });
    expect(await ask("eth_requestAccounts")).to.deep.equal(await ask("eth_accounts"));
  });

  it("lets no account act that is not authorized, by whatever request, and asks the user nothing for it", async () => {
    const { wallet, node, alice, bob, batches } = await walletFixture();
    const types = { EIP712Domain: [], Vote: [{ name: "option", type: "uint8" }] };
    const typed = { types, domain: {}, primaryType: "Vote", message: { option: 1 } };
    const requestsOf = ({ address }: { address: string }): readonly [string, unknown[]][] => [
      ["personal_sign", ["hello", address]],
      ["personal_sign", [address, "hello"]],
      ["personal_sign", ["0x00", address.toLowerCase()]],
      ["eth_sign", [address, "0x00"]],
      ["eth_signTypedData", [address, typed]],
      ["eth_signTypedData_v3", [address, typed]],
      ["eth_signTypedData_v4", [address, typed]],
      ["eth_signTypedData_v4", [address.toLowerCase(), JSON.stringify(typed)]],
      ["eth_sendTransaction", [{ from: address, to: alice.address, value: "0x1" }]],
    ];
    wallet.authorize({ accounts: [alice.address.toLowerCase()] });
    for (const connection of [node, wallet]) {
      wallet.rejectNext();
      for (const [method, params] of requestsOf(bob))
        await expectRefusal(connection.request({ method, params }), 4100, "authorize() takes accounts");
      await expectRefusal(
        connection.request({ method: "eth_sendTransaction", params: [{ to: bob.address }] }),
        4100,
        "that the node would choose",
      );
      await expectRefusal(
        connection.request({ method: "personal_sign", params: ["hello", alice.address] }),
        4001,
      );
      for (const [method, params] of requestsOf(alice)) await connection.request({ method, params });
    }
    // Only the batch's own transactions are on their way while the setting changes.
    wallet.approve = () => {
      wallet.authorize({ accounts: [] });
      return true;
    };
    await batches.submit([{ to: bob.address, value: "0x0" }]);
    wallet.reset();
    for (const [method, params] of requestsOf(bob)) await node.request({ method, params });
  });

  it("returns to its first settings after a reset", async () => {
    const { batches, wallet, node } = await walletFixture();
    await batches.submit([], { id: "0x1" });
    Object.assign(wallet, { acceptMissingValue: false, maxCalls: 0, supports7702: false, approve: false });
    Object.assign(wallet, { approveUpgrade: false, accounts: [], methods: [] });
    wallet.show = () => expect.fail("This function was taken back.");
    wallet.rejectNext();
    wallet.reset();
    const { id } = await batches.submit([]);
    replace(console, "log", () => undefined);
    await node.request({ method: "wallet_showCallsStatus", params: [id] });
    await expectRefusal(batches.status("0x1"), 5730);
    await batches.submit([{ to: `0x${"1".repeat(40)}` } as never]);
    expect(await batches.send([], { id: "0x1" })).to.include({ status: 200, atomic: true });
  });

  it("shows a batch through the configured function", async () => {
    const { batches, wallet, node, call } = await walletFixture();
    const shown: CallsStatus[] = [];
    wallet.show = (status) => shown.push(status);
    const { id } = await batches.submit([call("fail")]);
    expect(await node.request({ method: "wallet_showCallsStatus", params: [id] })).to.equal(null);
    expect(shown).to.deep.equal([await batches.status(id)]);
  });

  it("prints a batch that it shows, with its outcome", async () => {
    const { batches, node, call } = await walletFixture();
    const { id } = await batches.submit([call("refuse", [7])]);
    const printed: string[] = [];
    replace(console, "log", (text: string) => void printed.push(text));
    await node.request({ method: "wallet_showCallsStatus", params: [id] });
    expect(printed.join("\n"))
      .to.match(new RegExp(`^Batch +${id}\nStatus +500 reverted\n`, "m"))
      .and.match(/^Reverted +0x[0-9a-f]{64} in block /m)
      .and.include("Refused(7)");
  });
});

describe("wallet_getCapabilities", () => {
  async function fixture() {
    const found = await walletFixture();
    const capabilities = (...params: unknown[]) =>
      found.node.request({ method: "wallet_getCapabilities", params });
    return { ...found, capabilities, account: found.alice.address };
  }
  const everywhere = { "0x0": { gasLimitOverride: { supported: true } } };

  it("returns ready for an account on the connected chain, and supported once it is upgraded", async () => {
    const { batches, capabilities, account } = await fixture();
    expect(await capabilities(account)).to.deep.equal({
      ...everywhere,
      "0x14a34": { atomic: { status: "ready" } },
    });
    await batches.submit([]);
    expect(await capabilities(account)).to.deep.equal({
      ...everywhere,
      "0x14a34": { atomic: { status: "supported" } },
    });
  });

  it("returns no atomic execution for an account with other code, which is not replaced", async () => {
    const { capabilities, recorder, wallet } = await fixture();
    const account = await recorder.getAddress();
    wallet.authorize({ accounts: [account] });
    expect(await capabilities(account)).to.deep.equal({
      ...everywhere,
      "0x14a34": { atomic: { status: "unsupported" } },
    });
  });

  it("returns the requested chains without unknown ones", async () => {
    const { capabilities, account, wallet } = await fixture();
    const all = await capabilities(account);
    expect(await capabilities(account, ["0x1", "0x14a34"])).to.deep.equal(all);
    expect(await capabilities(account, ["0x1"])).to.deep.equal({});
    // Written so by apps; the description has lower case.
    const asked = { method: "wallet_getCapabilities", params: [account, ["0x14A34"]] };
    expect(await wallet.request(asked)).to.deep.equal(all);
  });

  it("returns no atomic execution without EIP-7702", async () => {
    const { capabilities, account, wallet, batches } = await fixture();
    await batches.submit([]);
    wallet.supports7702 = false;
    expect(await capabilities(account)).to.deep.equal({
      ...everywhere,
      "0x14a34": { atomic: { status: "unsupported" } },
    });
  });

  it("refuses parameters other than an address and chain ids with -32602", async () => {
    const { capabilities, account } = await fixture();
    await expectRefusal(capabilities(), -32602, "params");
    await expectRefusal(capabilities(account, [], 1), -32602, "params");
    await expectRefusal(capabilities("0x12"), -32602, "params[0]");
    await expectRefusal(capabilities(account, "0x1"), -32602, "params[1]");
    await expectRefusal(capabilities(account, ["0x1", "0x01"]), -32602, "params[1][1]");
  });
});

describe("A batch id that is looked up", () => {
  for (const method of ["wallet_getCallsStatus", "wallet_showCallsStatus"]) {
    it(`must be one string, or ${method} refuses it with -32602`, async () => {
      const { node } = await walletFixture();
      for (const params of [[], ["0x1", "0x2"], [1], [null], [{ id: "0x1" }]]) {
        await expectRefusal(node.request({ method, params }), -32602, "params");
      }
      await expectRefusal(node.request({ method, params: ["anything"] }), 5730, '"anything"');
    });
  }
});

describe("identity_configureWallet", () => {
  it("resets before it sets, and changes nothing if a setting is refused", async () => {
    const { node, wallet } = await walletFixture();
    const configure = (settings: object) =>
      node.request({ method: "identity_configureWallet", params: [settings] });
    wallet.approve = false;
    await expectRefusal(configure({ reset: true, maxCalls: "7" }), -32602, "maxCalls");
    expect(wallet).to.include({ approve: false });
    await configure({ reset: true, maxCalls: 7 });
    expect(wallet).to.include({ approve: true, maxCalls: 7 });
  });

  it("refuses an unknown setting with -32602, and changes nothing", async () => {
    const { node, batches } = await walletFixture();
    const configure = (...params: unknown[]) => node.request({ method: "identity_configureWallet", params });
    for (const [settings, says] of [
      [{ maxCalls: -1 }, "maxCalls must be an integer from 0, got -1"],
      [{ maxCalls: 1.5 }, "maxCalls must be an integer from 0, got 1.5"],
      [{ maxCalls: "1" }, 'maxCalls must be an integer from 0, got "1"'],
      [{ maxCalls: 0, approve: "no" }, 'approve must be true or false, got "no"'],
      [{ maxCalls: 0, rejectNext: 1 }, "rejectNext must be true or false, got 1"],
      [{ maxCalls: 0, reset: null }, "reset must be true or false, got null"],
      [{ accounts: ["0x12"] }, "accounts must be "],
      [{ accounts: "none" }, 'accounts must be "all" or an array of addresses, got "none"'],
      [{ methods: ["eth_call"] }, "methods must be "],
      [{ maxCals: 0 }, "no setting maxCals"],
      [{ toString: 0 }, "no setting toString"],
      ["reset", "params[0] must be an object"],
    ] as const) {
      await expectRefusal(configure(settings), -32602, says);
    }
    await expectRefusal(configure(), -32602, "params");
    expect(await batches.send([{ to: `0x${"1".repeat(40)}`, value: "0x0" }])).to.include({ status: 200 });
  });
});

describe("identity.wallet in hardhat.config.ts", () => {
  const configure = (config: HardhatUserConfig) =>
    createHardhatRuntimeEnvironment({ plugins: [hardhatIdentity], ...config });

  it("configures the wallet of every connection, also after a reset", async () => {
    const hre = await configure({ identity: { wallet: { maxCalls: 3, approve: false } } });
    const { wallet } = (await hre.network.create("identityLocal")).identity;
    expect(wallet).to.include({ maxCalls: 3, approve: false, acceptMissingValue: true });
    wallet.maxCalls = 7;
    wallet.reset();
    expect((await hre.network.create("default")).identity.wallet).to.include({ maxCalls: 3, approve: false });
    expect(wallet.maxCalls).to.equal(3);
  });

  it("authorizes accounts before the wallet is used for the first time", async () => {
    const account = `0x${"12".repeat(20)}`;
    const hre = await configure({ identity: { wallet: { accounts: [account] } } });
    const { provider } = await hre.network.create("identityLocal");
    const [alice] = (await provider.request({ method: "eth_accounts" })) as string[];
    const send = provider.request({ method: "eth_sendTransaction", params: [{ from: alice, to: account }] });
    await expectRefusal(send, 4100, "authorize() takes accounts");
  });

  it("leaves a setting as it is that is undefined", async () => {
    const open = async (wallet: object) => {
      const hre = await configure({ identity: { wallet } });
      return (await hre.network.create("identityLocal")).identity.wallet;
    };
    const names = [
      "maxCalls",
      "approve",
      "approveUpgrade",
      "supports7702",
      "acceptMissingValue",
      "accounts",
      "methods",
    ] as const;
    const [given, usual] = [
      await open(Object.fromEntries(names.map((name) => [name, undefined]))),
      await open({}),
    ];
    for (const name of names) expect(given[name], name).to.deep.equal(usual[name]);
  });

  it("is refused if wrong, with the setting's name", async () => {
    const wallet = { maxCalls: "many" } as never;
    const { message } = await rejection(configure({ identity: { wallet } }));
    expect(message)
      .to.include("identity.wallet")
      .and.to.include('maxCalls must be an integer from 0, got "many"');
  });
});
