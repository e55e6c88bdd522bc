import { expect } from "chai";
import { isCodeOf } from "../../tasks/internal/consumer/compiledContract.ts";

describe("Code on the chain", () => {
  it("is a contract's although a comment in its source has changed since, and not with another instruction", () => {
    /** Code as solc ends it: with the IPFS hash of the sources, and its own version. */
    const compile = (instruction: string, hash: string) =>
      `0x60${instruction}5b00fea264697066735822${`1220${hash.repeat(32)}`}64736f6c634300081c0033`;
    const contract = { contractName: "Drop", abi: [], deployedBytecode: compile("01", "aa") };
    expect(isCodeOf(compile("01", "aa"), contract)).to.equal(true);
    expect(isCodeOf(compile("01", "bb"), contract)).to.equal(true);
    expect(isCodeOf(compile("02", "bb"), contract)).to.equal(false);
    expect(isCodeOf(`${compile("01", "aa")}00`, contract)).to.equal(false);
  });
});
