import { expect } from "chai";
import { optionalPort, parseArguments, parseQuantity } from "../../tasks/internal/console/options.ts";

describe("The tasks' options", () => {
  it("keep every digit of the integers in a JSON object", () => {
    const text = '{"amount":9007199254740993,"list":[-1,{"ratio":0.5,"round":1e3}],"name":"7"}';
    expect(parseArguments("--args", text)).to.deep.equal({
      amount: 9007199254740993n,
      list: [-1n, { ratio: 0.5, round: 1000 }],
      name: "7",
    });
    expect(parseArguments("--args", undefined)).to.deep.equal({});
    for (const other of ["[1]", "7", "null", '"text"', "{amount:1}"]) {
      expect(() => parseArguments("--args", other)).to.throw(
        `--args must be a JSON object such as {"amount":25}, got ${other}.`,
      );
    }
  });

  it("accept a port from 0 to 65535, or none", () => {
    expect(optionalPort("--port", undefined)).to.equal(undefined);
    for (const port of [0, 65_535]) expect(optionalPort("--port", String(port))).to.equal(port);
    for (const other of ["65536", "-1", "1e3", "", "any"]) {
      expect(() => optionalPort("--port", other)).to.throw(
        `--port must be a port from 0 to 65535, got "${other}".`,
      );
    }
  });

  it("accept a quantity of up to 256 bits, decimal or hex, and nothing else", () => {
    expect(parseQuantity("--value", "1000000000000000000001")).to.equal(10n ** 21n + 1n);
    expect(parseQuantity("--value", "0xDe0b6b3a7640000")).to.equal(10n ** 18n);
    for (const other of ["", "-1", "0.1", "1e18", "0x", "1 ether"]) {
      expect(() => parseQuantity("--value", other)).to.throw(
        "--value must be a whole number, decimal or hex",
      );
    }
    expect(parseQuantity("--value", String(2n ** 256n - 1n))).to.equal(2n ** 256n - 1n);
    for (const other of [String(2n ** 256n), `0x1${"0".repeat(64)}`]) {
      expect(() => parseQuantity("--value", other)).to.throw("--value must fit into 256 bits, got");
    }
  });
});
