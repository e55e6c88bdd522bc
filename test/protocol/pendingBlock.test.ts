import { expect } from "chai";
import { lacksPendingBlock } from "../../packages/protocol/pendingBlock.ts";
import { pendingRefusals } from "../fixtures/chain/pendingRefusals.ts";

describe("A node's error, where the pending block was asked for,", () => {
  for (const [who, refusal] of Object.entries(pendingRefusals)) {
    it(`says that there is none, from ${who}, however a library wraps it`, () => {
      const error = Object.assign(new Error(refusal.message), refusal);
      expect(lacksPendingBlock(error)).to.equal(true);
      expect(lacksPendingBlock(new Error("Something failed.", { cause: error }))).to.equal(true);
      expect(
        lacksPendingBlock({ code: -32603, message: "Internal", data: { originalError: error } }),
      ).to.equal(true);
    });
  }

  it("says so by the HTTP status 400, too, whose body a library may leave out", () => {
    for (const told of [{ status: 400 }, { info: { responseStatus: "400 Bad Request" } }, { status: 422 }]) {
      expect(lacksPendingBlock(Object.assign(new Error("HTTP request failed."), told))).to.equal(true);
    }
  });

  it("counts by its words alone once the node has answered there", () => {
    const [named, unnamed] = [pendingRefusals["java-tron"], pendingRefusals["a node that names nothing"]];
    expect([named, unnamed].map((error) => lacksPendingBlock(error, true))).to.deep.equal([true, false]);
    expect(lacksPendingBlock({ status: 400 }, true)).to.equal(false);
  });

  for (const [what, error] of Object.entries({
    "a rate limit": { code: -32005, message: "pending block: limit exceeded" },
    "Base's rate limit": { code: -32016, message: "over rate limit" },
    "a rate limit in words": { code: -32000, message: "Too many requests for block tag pending" },
    "a quota": { code: -32602, message: "Your plan's quota is used up" },
    "a node that is down": { code: -32000, message: "The node is down." },
    "a time limit": { code: -32000, message: "block not found: request timed out" },
    "a wallet that waits for its user": { code: -32002, message: "Request already pending for origin" },
    "the user's refusal": { code: 4001, message: "The user rejected the pending request" },
    "a revert": { code: 3, message: "execution reverted at block pending", data: "0x" },
    "a revert without data": { code: -32000, message: "execution reverted: pending block" },
    "a nonce": { code: -32602, message: "nonce too low" },
    "a lost connection": new TypeError("fetch failed"),
    "a gateway's error": Object.assign(new Error("HTTP request failed."), { status: 502 }),
    "a missing right": Object.assign(new Error("HTTP request failed."), { status: 401 }),
    nothing: undefined,
  })) {
    it(`says nothing of it as ${what}`, () => {
      expect(lacksPendingBlock(error)).to.equal(false);
    });
  }
});
