import { expect } from "chai";
import { readParity } from "../../protocol/signature.ts";

describe("readParity", () => {
  // With the greatest s of a canonical signature (EIP-2).
  const rs = `0x${"Ab".repeat(32)}7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0`;
  const above = `${rs.slice(0, -1)}1`;

  it("reads v of 0, 1, 27 or 28, in any casing", () => {
    for (const casing of [rs, `0x${rs.slice(2).toUpperCase()}`]) {
      const found = ["00", "01", "1b", "1B", "1c", "1C"].map((v) => readParity(casing + v));
      expect(found).to.deep.equal([0, 1, 0, 0, 1, 1]);
    }
  });

  it("accepts no other form of a signature", () => {
    for (const other of [
      `${above}1b`,
      `0x${above.slice(2).toUpperCase()}1b`,
      `${rs}02`,
      `0${rs}1b`,
      `${rs}1b00`,
      rs,
    ]) {
      expect(readParity(other), other).to.equal(undefined);
    }
  });
});
