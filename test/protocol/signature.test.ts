import { expect } from "chai";
import { readParity } from "../../protocol/signature.ts";

describe("readParity", () => {
  const r = `0x${"Ab".repeat(32)}`;
  // The greatest s of a canonical signature (EIP-2), and one more.
  const [greatest, above] = ["a0", "a1"].map(
    (end) => `7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20${end}`,
  );

  it("reads v as 0, 1, 27 or 28, in any casing", () => {
    for (const [v, parity] of [
      ["00", 0],
      ["01", 1],
      ["1b", 0],
      ["1B", 0],
      ["1c", 1],
      ["1C", 1],
    ] as const) {
      expect(readParity(`${r}${greatest}${v}`), v).to.equal(parity);
      expect(readParity(`${r}${greatest?.toUpperCase()}${v}`), v).to.equal(parity);
    }
  });

  it("accepts no other form of a signature", () => {
    for (const other of [
      `${r}${above}1b`,
      `${r}${above?.toUpperCase()}1b`,
      `${r}${greatest}02`,
      `${r}${greatest}1d`,
      `0${r}${greatest}1b`,
      `${r}${greatest}1b00`,
      `${r}${greatest}`,
      "0x",
    ]) {
      expect(readParity(other), other).to.equal(undefined);
    }
  });
});
