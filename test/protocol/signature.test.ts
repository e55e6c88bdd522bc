import { expect } from "chai";
import { expandSignature, readParity } from "../../packages/protocol/signature.ts";

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

describe("expandSignature", () => {
  it("writes the test vectors of EIP-2098 in 65 bytes, and changes no other signature", () => {
    const vectors = [
      [
        "68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90",
        "7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064",
        "1b",
      ],
      [
        "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76",
        "939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793",
        "1c",
      ],
    ];
    for (const [r = "", yParityAndS = "", v = ""] of vectors) {
      const s = `${v === "1b" ? yParityAndS.slice(0, 1) : "1"}${yParityAndS.slice(1)}`;
      expect(expandSignature(`0x${r}${yParityAndS}`)).to.equal(`0x${r}${s}${v}`);
      for (const other of [`0x${r}${s}${v}`, `0x${r}${yParityAndS.slice(2)}`, `0x${r}`, "0x", ""]) {
        expect(expandSignature(other)).to.equal(other);
      }
    }
  });
});
