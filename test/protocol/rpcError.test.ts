import { expect } from "chai";
import { readRpcError } from "../../packages/protocol/rpcError.ts";

const revert = "0x08c379a0";

describe("An error of a node or a wallet", () => {
  const shapes: [string, object, number | undefined, string | undefined][] = [
    ["as a node has it", { code: 3, data: revert }, 3, revert],
    ["as ethers wraps it", { code: "CALL_EXCEPTION", info: { error: { code: 3, data: revert } } }, 3, revert],
    ["as viem wraps it", { cause: { cause: { code: 3, data: revert } } }, 3, revert],
    ["as MetaMask wraps it", { code: -32603, data: { originalError: { code: 3, data: revert } } }, 3, revert],
    ["as Hardhat's HTTP endpoint has it", { code: -32603, data: { data: revert } }, -32603, revert],
    ["as Nethermind has it", { code: -32015, data: `Reverted ${revert}` }, -32015, revert],
    [
      "as Nethermind has one without a reason",
      { cause: { code: -32015, data: "Reverted 0x" } },
      -32015,
      "0x",
    ],
    ["with a reason and without one", { code: 3, data: "0x", cause: { data: revert } }, 3, "0x"],
    ...["Reverted", "Reverted: 0x12", "0x12: reverted", "0x123", ["0x12"]].map(
      (data): [string, object, number, undefined] => [
        ...(["with data that is none", { code: 3, data }, 3, undefined] as const),
      ],
    ),
    ["with nothing but a wrapper's code", { code: -32603, cause: { code: -1 } }, -32603, undefined],
    ["with a wallet's code in viem's unknown error", { code: -1, cause: { code: 5720 } }, 5720, undefined],
    ["without either", {}, undefined, undefined],
  ];
  for (const [shape, error, code, data] of shapes) {
    it(`is read ${shape}`, () => {
      expect(readRpcError(error)).to.include({ code, data });
    });
  }

  const refused = { code: -32603, message: "MetaMask Tx Signature: User denied transaction signature." };
  const refusals: [string, object, boolean][] = [
    ["as EIP-1193 has it", { code: 4001 }, true],
    ["as WalletConnect has it", { code: 5000 }, true],
    ["as WalletConnect has it for a chain", { code: 5001 }, true],
    ["as WalletConnect has it for a method", { code: 5002 }, true],
    ["in viem's unknown error", { code: -1, cause: { code: 5002 } }, true],
    ["in MetaMask's internal error", { code: -32603, data: { originalError: { code: 4001 } } }, true],
    ["in an error of the node's kind", { code: -32000, data: { code: 4001 } }, true],
    ["in ethers' error", { code: "UNKNOWN_ERROR", error: { code: 5003 } }, true],
    ["by ethers' code", { code: "ACTION_REJECTED" }, true],
    ["in words alone", refused, true],
    ["in two words", { code: -32603, message: "Request rejected" }, true],
    ["in one word with a line", { code: -32603, message: "user_canceled" }, true],
    ["of a request that a timeout cancelled", { code: -32603, message: "Request cancelled" }, false],
    ["of a contract", { code: 3, message: "execution reverted: user denied" }, false],
    ["of a contract that names no revert", { ...refused, data: revert }, false],
    ["of a wallet that knows the batch", { code: 5720, message: "A batch with this id exists." }, false],
  ];
  for (const [shape, error, isRefusal] of refusals) {
    it(`is${isRefusal ? "" : " not"} read as the user's refusal ${shape}`, () => {
      expect(readRpcError(error).isRefusal).to.equal(isRefusal);
    });
  }

  it("reads a node's error that refers to itself", () => {
    const error = Object.assign(new Error("nonce too low"), { code: -32000, cause: {} });
    error.cause = error;
    const read = readRpcError(error);
    expect(read).to.deep.equal({
      code: -32000,
      isRefusal: false,
      isUnsent: false,
      isProgramError: false,
      message: "nonce too low",
      data: undefined,
      status: undefined,
    });
  });

  it("tells a node's error in the first line of its innermost message", () => {
    const inner = new Error("insufficient funds\nRequest body: {}");
    expect(readRpcError(new Error("Something failed.", { cause: inner })).message).to.equal(
      "insufficient funds",
    );
    expect(readRpcError("wallet is locked").message).to.equal("wallet is locked");
    expect(readRpcError(new Error("a".repeat(1_000))).message.length).to.equal(300);
  });

  it("tells a node's error without a signature or call data, but with a hash", () => {
    const hash = `0x${"12".repeat(32)}`;
    const error = new Error(`cannot call with 0x${"aB".repeat(65)} in ${hash}`);
    expect(readRpcError(error).message).to.equal(`cannot call with 0x… in ${hash}`);
  });
});
