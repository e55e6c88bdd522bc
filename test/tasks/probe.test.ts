import { expect } from "chai";
import hre from "hardhat";
import { getters, l1Block, openProbe, type Probe } from "../../tasks/internal/lint/probe.ts";

/** Code that runs one instruction on some values, the topmost last, and answers nothing. */
const run = (opcode: string, ...values: string[]) =>
  `0x${values.map((value) => `73${value.slice(2).padStart(40, "0")}`).join("")}${opcode}00`;
const call = (opcode: string, to: string, value = true) =>
  run(opcode, "0x0", "0x0", "0x0", "0x0", ...(value ? ["0x0"] : []), to, "0xffff");

describe("The probe of a policy's reads", () => {
  let probe: Probe;

  before(async () => {
    probe = await openProbe(hre);
  });
  after(() => probe.close());

  const another = `0x${"12".repeat(20)}`;
  for (const [what, reads, code] of [
    ["SLOAD", "storage", run("54", "0x1")],
    ["TLOAD", "transient storage", run("5c", "0x1")],
    ["CALLER", "msg.sender", run("33")],
    ["ORIGIN", "tx.origin", run("32")],
    ["GASPRICE", "tx.gasprice", run("3a")],
    ["TIMESTAMP", "block.timestamp", run("42")],
    ["NUMBER", "block.number", run("43")],
    ["BLOCKHASH", "blockhash", run("40", "0x1")],
    ["COINBASE", "block.coinbase", run("41")],
    ["PREVRANDAO", "block.prevrandao", run("44")],
    ["GASLIMIT", "block.gaslimit", run("45")],
    ["BASEFEE", "block.basefee", run("48")],
    ["BLOBBASEFEE", "block.blobbasefee", run("4a")],
    ["BLOBHASH", "blobhash", run("49", "0x0")],
    ["BALANCE", "a balance", run("31", "0x1")],
    ["SELFBALANCE", "a balance", run("47")],
    ["CALL", "another contract", call("f1", another)],
    ["STATICCALL", "another contract", call("fa", another, false)],
    ["DELEGATECALL", "another contract's code", call("f4", another, false)],
    ["CALLCODE", "another contract's code", call("f2", another)],
    ["a call of what tells the L1's block", "the L1's block", call("fa", l1Block, false)],
    ["a call of what is no precompiled contract", "another contract", call("fa", "0x101", false)],
  ] as const) {
    it(`includes ${reads} by ${what}`, async () => {
      const { reads: found } = await probe.read(code);
      expect(found).to.deep.equal(Object.fromEntries(getters.map((getter) => [getter, [reads]])));
    });
  }

  it("includes nothing for any other instruction or a call of a precompiled contract", async () => {
    for (const code of [
      run("30"), // ADDRESS
      run("34"), // CALLVALUE
      run("35", "0x0"), // CALLDATALOAD
      run("38"), // CODESIZE
      run("46"), // CHAINID
      run("20", "0x0", "0x0"), // KECCAK256
      call("fa", "0x1", false),
      call("fa", "0x100", false),
    ]) {
      const { reads, changing } = await probe.read(code);
      expect({ ...reads, changing }, code).to.deep.equal({
        provider: [],
        conditions: [],
        cutoffBlock: [],
        changing: [],
      });
    }
  });

  it("lists everything one getter reads, once, and nothing of other getters", async () => {
    // Answers caller XOR time where provider() is asked, the time where conditions() is, and else nothing.
    const dispatch = "5f3560e01c" + "8063085d488314601957" + "63e35c59d01460255700";
    const provider = "5b334218" + "3350" + "5f5260205ff3";
    const conditions = "5b42" + "5f5260205ff3";
    const { reads, changing } = await probe.read(`0x${dispatch}${provider}${conditions}`);
    expect(reads).to.deep.equal({
      provider: ["msg.sender", "block.timestamp"],
      conditions: ["block.timestamp"],
      cutoffBlock: [],
    });
    expect(changing).to.deep.equal(["provider", "conditions"]);
  });

  it("is distinguished from answers that differ by caller or block", async () => {
    // Looks at the caller, and answers 1 to everybody.
    expect((await probe.read("0x33505f5f52600160005260205ff3")).changing).to.deep.equal([]);
    expect((await probe.read("0x335f5260205ff3")).changing).to.deep.equal(getters);
    // The time, of which no caller knows another.
    expect((await probe.read("0x425f5260205ff3")).changing).to.deep.equal(getters);
  });
});
