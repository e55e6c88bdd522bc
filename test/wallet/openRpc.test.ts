import { expect } from "chai";
import { walletErrors } from "../../wallet/index.ts";
import { describedMethods, findParamsProblems } from "../fixtures/wallet/openRpc.ts";
import { expectRefusal, walletFixture } from "../fixtures/wallet/wallet.ts";

const codes = Object.values(walletErrors).map(({ code }) => code as number);

describe("The OpenRPC description of EIP-5792", () => {
  it("names only error codes that the wallet has", () => {
    const named = describedMethods.flatMap(({ errors }) => errors.flatMap(({ code }) => code ?? []));
    expect(named).to.have.length.above(5);
    expect(codes).to.include.members(named);
  });
});

describe("Where the specification differs from the OpenRPC description", () => {
  async function fixture() {
    const { batches, node, wallet, alice, bob } = await walletFixture();
    // The node of the fixture refuses what differs, after it was answered.
    const describedAs = async (method: string, params: unknown[], problem: string) => {
      const answered = node.request({ method, params });
      await answered.then(
        () => expect.fail("The description has nothing against it."),
        (error: Error) => expect(error.message).to.equal(`${method} is not as described: ${problem}`),
      );
    };
    return { batches, node, wallet, describedAs, alice, to: bob.address };
  }

  it("a call needs to and, if acceptMissingValue is off, value", async () => {
    const { batches, node, wallet, to } = await fixture();
    wallet.acceptMissingValue = false;
    for (const [calls, path] of [
      [[{ value: "0x0" }], "calls[0].to"],
      [[{ to }], "calls[0].value"],
    ] as const) {
      const params = [batches.complete(calls)];
      expect(findParamsProblems("wallet_sendCalls", params)).to.deep.equal([]);
      await expectRefusal(node.request({ method: "wallet_sendCalls", params }), -32602, path);
    }
  });

  it("value and data may be any hex, and data must be whole bytes", async () => {
    const { batches, node, describedAs, to } = await fixture();
    for (const [call, problem] of [
      [{ to, value: "0x00" }, '/0/calls/0/value must match pattern "^0x([1-9a-f]+[0-9a-f]*|0)$"'],
      [{ to, value: "0xA" }, '/0/calls/0/value must match pattern "^0x([1-9a-f]+[0-9a-f]*|0)$"'],
      [{ to, value: "0x0", data: "0xAB" }, '/0/calls/0/data must match pattern "^0x[0-9a-f]*$"'],
    ] as const) {
      await describedAs("wallet_sendCalls", [batches.complete([call])], problem);
    }
    const params = [batches.complete([{ to, value: "0x0", data: "0xabc" }])];
    expect(findParamsProblems("wallet_sendCalls", params)).to.deep.equal([]);
    await expectRefusal(node.request({ method: "wallet_sendCalls", params }), -32602, "calls[0].data");
  });

  it("an id may be any hex of at most 4096 bytes", async () => {
    const { batches, node, describedAs } = await fixture();
    for (const id of ["0x00ab", "0xAB"]) {
      await batches.submit([], { id });
      await describedAs("wallet_getCallsStatus", [id], '/id must match pattern "^0x([1-9a-f]+[0-9a-f]*|0)$"');
    }
    for (const id of ["my batch", `0x${"a".repeat(8193)}`]) {
      const params = [batches.complete([], { id })];
      expect(findParamsProblems("wallet_sendCalls", params)).to.deep.equal([]);
      await expectRefusal(node.request({ method: "wallet_sendCalls", params }), -32602, " id ");
    }
  });

  it("results also have batchId, status and failure", async () => {
    const { batches, to } = await fixture();
    const named = (method: string) => {
      const schema = describedMethods.find(({ name }) => name === method)?.result.schema;
      return Object.keys((schema as { properties: object }).properties);
    };
    const tooMuch = { to, value: `0x${(10n ** 24n).toString(16)}` };
    const sent = await batches.submit([tooMuch], { atomicRequired: false });
    const beyond = Object.keys(sent).filter((member) => !named("wallet_sendCalls").includes(member));
    expect(beyond).to.deep.equal(["batchId", "status"]);
    const status = Object.keys(await batches.status(sent.batchId));
    expect(status.filter((member) => !named("wallet_getCallsStatus").includes(member))).to.deep.equal([
      "failure",
    ]);
  });

  it("capabilities list chains without atomic batches, and shared ones under 0x0", async () => {
    const { node, wallet, alice } = await fixture();
    wallet.supports7702 = false;
    expect(await node.request({ method: "wallet_getCapabilities", params: [alice.address] })).to.deep.equal({
      "0x0": { gasLimitOverride: { supported: true } },
      "0x14a34": { atomic: { status: "unsupported" } },
    });
  });
});
