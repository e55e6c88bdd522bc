import { expect } from "chai";
import { readRpcError } from "../../protocol/rpcError.ts";

const revert = "0x08c379a0";

describe("An error of a node or a wallet", () => {
  const shapes: [string, object, number | undefined, string | undefined][] = [
    ["as a node has it", { code: 3, data: revert }, 3, revert],
    ["as ethers wraps it", { code: "CALL_EXCEPTION", info: { error: { code: 3, data: revert } } }, 3, revert],
    ["as viem wraps it", { cause: { cause: { code: 3, data: revert } } }, 3, revert],
    [
      "as MetaMask wraps it",
      { code: -32603, data: { originalError: { code: 3, data: revert } } },
      -32603,
      revert,
    ],
    ["as Hardhat's HTTP endpoint has it", { code: -32603, data: { data: revert } }, -32603, revert],
    ["with a reason and without one", { code: 3, data: "0x", cause: { data: revert } }, 3, "0x"],
    ["with data that is none", { code: -32000, data: "Reverted" }, -32000, undefined],
    ["without either", {}, undefined, undefined],
  ];
  for (const [shape, error, code, data] of shapes) {
    it(`is read ${shape}`, () => {
      expect(readRpcError(error)).to.include({ code, data });
    });
  }

  it("is read though it refers to itself", () => {
    const error = Object.assign(new Error("nonce too low"), { code: -32000, cause: {} });
    error.cause = error;
    expect(readRpcError(error)).to.deep.equal({ code: -32000, message: "nonce too low", data: undefined });
  });

  it("is told in the first line of its innermost message", () => {
    const inner = new Error("insufficient funds\nRequest body: {}");
    expect(readRpcError(new Error("Something failed.", { cause: inner })).message).to.equal(
      "insufficient funds",
    );
    expect(readRpcError("wallet is locked").message).to.equal("wallet is locked");
    expect(readRpcError(new Error("a".repeat(1_000))).message.length).to.equal(300);
  });

  it("is told without a signature or call data, but with a hash", () => {
    const hash = `0x${"12".repeat(32)}`;
    const error = new Error(`cannot call with 0x${"aB".repeat(65)} in ${hash}`);
    expect(readRpcError(error).message).to.equal(`cannot call with 0x… in ${hash}`);
  });
});
