import { expect } from "chai";
import { readParity } from "../../packages/protocol/signature.ts";

describe("readParity", () => {
  it("reads v of 0, 1, 27 or 28, in any casing, with no greater s than EIP-2 has, and no other form", () => {
    const rs = `${"Ab".repeat(32)}7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0`;
    for (const casing of [rs, rs.toUpperCase()]) {
      const found = ["00", "01", "1b", "1B", "1c", "1C", "02"].map((v) => readParity(`0x${casing}${v}`));
      expect(found).to.deep.equal([0, 1, 0, 0, 1, 1, undefined]);
      for (const other of [
        `0x${casing.slice(0, -1)}11b`,
        `00x${casing}1b`,
        `0x${casing}1b00`,
        `0x${casing}`,
      ]) {
        expect(readParity(other), other).to.equal(undefined);
      }
    }
  });
});
