import { expect } from "chai";
import { expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";

describe("The parameters of wallet_sendCalls", () => {
  const address = `0x${"Ab".repeat(20)}`;
  const call = { to: address, value: "0x0" };
  const setup = async () => {
    const { batches, node, wallet } = await walletFixture();
    const good = batches.complete([call]);
    const request = (...params: unknown[]) => node.request({ method: "wallet_sendCalls", params });
    return { good, request, wallet };
  };
  let good: object;
  let request: (...params: unknown[]) => Promise<unknown>;
  before(async () => {
    ({ good, request } = await setup());
  });

  const missing = undefined;
  const refused: readonly [what: string, path: string, change: object, got: string][] = [
    ["no version", "version", { version: missing }, "nothing"],
    ["a version that is a number", "version", { version: 2 }, "2"],
    ["an id without 0x", "id", { id: "abcd" }, '"abcd"'],
    ["an id that is not hex", "id", { id: "0xxyz" }, '"0xxyz"'],
    ["an id without digits", "id", { id: "0x" }, '"0x"'],
    ["an id that is null", "id", { id: null }, "null"],
    ["an id of more than 4096 bytes", "id", { id: `0x${"1".repeat(8193)}` }, '"0x111'],
    ["no from", "from", { from: missing }, "nothing"],
    ["a from that is too short", "from", { from: `0x${"a".repeat(39)}` }, `"0x${"a".repeat(39)}"`],
    ["a from that is too long", "from", { from: `0x${"a".repeat(41)}` }, '"0x'],
    ["a from without 0x", "from", { from: "a".repeat(40) }, '"aaa'],
    ["a from that is not hex", "from", { from: `0x${"g".repeat(40)}` }, '"0xggg'],
    ["no chainId", "chainId", { chainId: missing }, "nothing"],
    ["a chainId with leading zeros", "chainId", { chainId: "0x014a34" }, '"0x014a34"'],
    ["a chainId in upper case", "chainId", { chainId: "0x14A34" }, '"0x14A34"'],
    ["a chainId without digits", "chainId", { chainId: "0x" }, '"0x"'],
    ["a decimal chainId", "chainId", { chainId: "84532" }, '"84532"'],
    ["a chainId that is a number", "chainId", { chainId: 84532 }, "84532"],
    ["no atomicRequired", "atomicRequired", { atomicRequired: missing }, "nothing"],
    ["an atomicRequired that is a string", "atomicRequired", { atomicRequired: "true" }, '"true"'],
    ["no calls", "calls", { calls: missing }, "nothing"],
    ["calls that are an object", "calls", { calls: {} }, "an object"],
    ["a call that is a string", "calls[1]", { calls: [call, "0x"] }, '"0x"'],
    ["a call that is null", "calls[0]", { calls: [null] }, "null"],
    ["a call without to", "calls[1].to", { calls: [call, { value: "0x0" }] }, "nothing"],
    ["a to that is too short", "calls[0].to", { calls: [{ ...call, to: "0xab" }] }, '"0xab"'],
    ["a value that is a number", "calls[0].value", { calls: [{ ...call, value: 1 }] }, "1"],
    ["a value that is a bigint", "calls[0].value", { calls: [{ ...call, value: 1n }] }, "1n"],
    ["a decimal value", "calls[0].value", { calls: [{ ...call, value: "1" }] }, '"1"'],
    ["a value without digits", "calls[0].value", { calls: [{ ...call, value: "0x" }] }, '"0x"'],
    [
      "a value of 257 bits",
      "calls[0].value",
      { calls: [{ ...call, value: `0x1${"0".repeat(64)}` }] },
      '"0x1',
    ],
    ["a value that is null", "calls[0].value", { calls: [{ ...call, value: null }] }, "null"],
    ["data of half a byte", "calls[0].data", { calls: [{ ...call, data: "0x123" }] }, '"0x123"'],
    ["data that is not hex", "calls[0].data", { calls: [{ ...call, data: "0xzz" }] }, '"0xzz"'],
    ["data that is null", "calls[0].data", { calls: [{ ...call, data: null }] }, "null"],
    ["capabilities that are an array", "capabilities", { capabilities: [] }, "an array"],
    [
      "capabilities of a call that are a string",
      "calls[0].capabilities",
      { calls: [{ ...call, capabilities: "" }] },
      '""',
    ],
    [
      "a gasLimitOverride that is a string",
      "calls[0].capabilities.gasLimitOverride",
      { calls: [{ ...call, capabilities: { gasLimitOverride: "0x1" } }] },
      '"0x1"',
    ],
    [
      "a gasLimitOverride without value",
      "calls[0].capabilities.gasLimitOverride.value",
      { calls: [{ ...call, capabilities: { gasLimitOverride: { optional: true } } }] },
      "nothing",
    ],
    [
      "a gasLimitOverride of 65 bits",
      "calls[0].capabilities.gasLimitOverride.value",
      { calls: [{ ...call, capabilities: { gasLimitOverride: { value: `0x1${"0".repeat(16)}` } } }] },
      '"0x1',
    ],
  ];
  for (const [what, path, change, got] of refused) {
    it(`refuses ${what} with -32602, naming ${path}`, async () => {
      await expectRefusal(request({ ...good, ...change }), -32602, ` ${path} must be `, `got ${got}`);
    });
  }

  for (const [what, params] of [
    ["none", []],
    ["two objects", [{}, {}]],
    ["a string", ["0x"]],
    ["null", [null]],
    ["an array", [[]]],
  ] as const) {
    it(`refuses params of ${what} with -32602`, async () => {
      await expectRefusal(request(...params), -32602, " params");
    });
  }

  it("reads a missing value as zero, as viem and wagmi mean it, unless acceptMissingValue is off", async () => {
    const { good, request, wallet } = await setup();
    await request({ ...good, calls: [{ to: address }] });
    wallet.acceptMissingValue = false;
    const strict = request({ ...good, calls: [{ to: address }] });
    await expectRefusal(strict, -32602, " calls[0].value is missing", "acceptMissingValue is off");
    await expectRefusal(request({ ...good, calls: [{ to: address, value: "1" }] }), -32602, "calls[0].value");
  });

  it("refuses another chain than the connected one with -32602, and names both", async () => {
    await expectRefusal(request({ ...good, chainId: "0x1" }), -32602, "chainId", "0x1,", "0x14a34");
    await expectRefusal(request({ ...good, chainId: "0x0" }), -32602, "chainId", "0x0,", "0x14a34");
  });

  it("checks the version first, as another version has another shape", async () => {
    await expectRefusal(request({ version: "1.0", from: 1 }), -32000, "version", '"2.0.0"', '"1.0"');
    const long = "9".repeat(81);
    await expectRefusal(request({ ...good, version: long }), -32000, `got "${long.slice(0, 80)}…"`);
  });

  it("accept an id of 4096 bytes, undefined members and unknown members", async () => {
    const id = `0x${"1".repeat(8192)}`;
    const undefinedMembers = { data: undefined, capabilities: undefined };
    const result = await request({
      ...good,
      id,
      capabilities: undefined,
      calls: [{ ...call, ...undefinedMembers, gas: "0x1" }],
      somethingElse: 1,
    });
    expect(result).to.deep.equal({ batchId: id, status: "pending", id });
  });

  it("reads a value or an id with leading zeros or capitals, and data in capitals", async () => {
    // The node of the fixture holds requests to EIP-5792's OpenRPC description, which the specification does not.
    const { good, wallet } = await setup();
    const params = [{ ...good, id: "0x00AB", calls: [{ ...call, value: "0x0A", data: "0xAB" }] }];
    expect(await wallet.request({ method: "wallet_sendCalls", params })).to.include({ id: "0x00AB" });
  });

  it("return a new id if the app gives none", async () => {
    const first = (await request(good)) as { batchId: string };
    const second = (await request(good)) as { batchId: string };
    expect(first).to.deep.equal({ batchId: first.batchId, status: "pending", id: first.batchId });
    expect(first.batchId).to.match(/^0x[0-9a-f]{63}$/);
    expect(second.batchId).to.not.equal(first.batchId);
  });
});
