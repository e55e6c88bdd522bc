import { keccak_256 } from "@noble/hashes/sha3.js";
import { expect } from "chai";
import { keccak256 } from "../../packages/protocol/keccak.ts";

describe("Keccak-256", () => {
  it("hashes as the library does, for every number of bytes of the first three blocks", () => {
    for (let length = 0; length <= 409; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
      expect(keccak256(bytes), `${length} bytes`).to.deep.equal(keccak_256(bytes));
    }
  });
});
