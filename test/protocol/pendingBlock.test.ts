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
    for (const told of [{ status: 400 }, { info: { responseStatus: "400 Bad Request" } }]) {
      expect(lacksPendingBlock(Object.assign(new Error("HTTP request failed."), told))).to.equal(true);
    }
  });

  for (const [what, error] of Object.entries({
    "a rate limit": { code: -32005, message: "pending block: limit exceeded" },
    "Base's rate limit": { code: -32016, message: "over rate limit" },
    "a rate limit in words": { code: -32000, message: "Rate limit reached for block tag pending" },
    "a time limit": { code: -32000, message: "block not found: request timed out" },
    "a wallet that waits for its user": { code: -32002, message: "Request already pending for origin" },
    "the user's refusal": { code: 4001, message: "The user rejected the pending request" },
    "a revert": { code: 3, message: "execution reverted at block pending", data: "0x" },
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
