import { expect } from "chai";
import { concat, Interface, toBeHex } from "ethers";
import hre, { artifacts, network } from "hardhat";
import { boundedCalls } from "../../../packages/protocol/chain/boundedCalls.ts";
import { ChainUnavailableError } from "../../../packages/protocol/chain/connect.ts";
import { boundedCallsCode } from "../../../packages/protocol/chain/internal/boundedCallsCode.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { skip } from "../../fixtures/skip.ts";

const selector = (name: string) => new Interface([`function ${name}()`]).getFunction(name)?.selector ?? "";

describe("boundedCalls", () => {
  async function fixture() {
    const { provider, ethers } = await network.create("identityLocal");
    const scripted = await ethers.deployContract("ScriptedConsumer");
    const target = await scripted.getAddress();
    const answers = (name: string, data: string, reverts = false) =>
      scripted.getFunction("script")(selector(name), reverts, data);
    const call = (name: string) => ({ target, data: selector(name), gasLimit: 1_000_000, sizeLimit: 64 });
    const addressOf = async (name: string) => (await ethers.deployContract(name)).getAddress();
    /** Deploys a contract of less than 32 bytes of code, which are hex. */
    const deployCode = async (code: string) => {
      const length = (code.length / 2).toString(16).padStart(2, "0");
      const [deployer] = await ethers.getSigners();
      const data = `0x60${length}600a5f3960${length}5ff3${code}`;
      const sent = await deployer?.sendTransaction({ data });
      return (await sent?.wait())?.contractAddress ?? "";
    };
    return { provider, answers, call, addressOf, deployCode };
  }

  it("carries the bytecode of contracts/lens/BoundedCalls.sol", async function () {
    if (hre.globalOptions.coverage) {
      skip(this, "coverage puts its own instructions into what is compiled", "running without --coverage");
    }
    const { deployedBytecode } = await artifacts.readArtifact("BoundedCalls");
    expect(boundedCallsCode, "run scripts/write-compiled.ts").to.equal(deployedBytecode);
  });

  it("says what a chain lacks whose hardfork is before Cancun", async () => {
    const { provider } = await network.create({
      network: "identityLocal",
      chainType: "l1",
      override: { hardfork: "shanghai" },
    });
    const call = { target: `0x${"11".repeat(20)}`, data: "0x", gasLimit: 1_000, sizeLimit: 32 };
    expect((await rejection(boundedCalls(provider, [call]))).message).to.match(
      /^The node failed to answer eth_call: .+ A chain whose hardfork is before Cancun lacks an instruction for it\.$/,
    );
  });

  it("answers calls in their order, whether they succeed or not", async () => {
    const { provider, answers, call } = await fixture();
    await answers("one", "0x1234");
    await answers("two", "0x5678", true);
    const results = await boundedCalls(provider, [call("one"), call("two"), call("three")]);
    const common = { hasCode: true, exhausted: false };
    expect(results).to.deep.equal([
      { ...common, success: true, size: 2, data: "0x1234" },
      { ...common, success: false, size: 2, data: "0x5678" },
      { ...common, success: false, size: 0, data: "0x" },
    ]);
  });

  it("reads no more of an answer than its limit", async () => {
    const { provider, answers, call } = await fixture();
    await answers("long", `0x${"ab".repeat(65)}`);
    const [result] = await boundedCalls(provider, [call("long")]);
    expect(result).to.deep.include({ success: true, size: 65, data: `0x${"ab".repeat(64)}` });
  });

  it("gives a call all its gas after others that burned theirs", async () => {
    const { provider, addressOf, deployCode } = await fixture();
    // Answers the gas that is left.
    const meter = await deployCode("5a5f5260205ff3");
    const gasLimit = 15_000_000;
    const burn = { target: await addressOf("EndlessGas"), data: "0x", gasLimit: 100_000, sizeLimit: 0 };
    const measure = { target: meter, data: "0x", gasLimit, sizeLimit: 32 };
    const results = await boundedCalls(provider, [burn, burn, measure]);
    expect(Number(results[2]?.data)).to.be.within(gasLimit - 100, gasLimit);
  });

  it("reports every error of the node as the node's", async () => {
    const refusing = { request: () => Promise.reject(new Error("no state overrides here")) };
    const error = await rejection(boundedCalls(refusing, []));
    expect(error).to.be.instanceOf(ChainUnavailableError);
    expect(error.message).to.equal("The node failed to answer eth_call: no state overrides here");
    expect(await rejection(boundedCalls({ request: () => Promise.reject(error) }, []))).to.equal(error);
  });

  it("quotes the node, and assumes missing state overrides only after a refusal", async () => {
    const messageOf = async (code: number, message: string) =>
      (await rejection(boundedCalls({ request: () => Promise.reject({ code, message }) }, []))).message;
    expect(await messageOf(-32016, "over rate limit")).to.equal(
      "The node failed to answer eth_call: over rate limit (-32016)",
    );
    expect(await messageOf(-32602, "too many arguments, want at most 2")).to.equal(
      "The node does not support eth_call with a state override, which the service needs to read contracts. It said: too many arguments, want at most 2 (-32602)",
    );
  });

  it("passes on a fork's words about unknown hardforks, wherever the client puts them", async () => {
    const problem = new Error("No known hardfork for execution on historical block 7.");
    const fork = { request: () => Promise.reject(new Error("RPC error", { cause: problem })) };
    expect((await rejection(boundedCalls(fork, []))).message).to.equal(
      `The node failed to answer eth_call: ${problem.message}`,
    );
  });

  const word = (value: number | bigint) => toBeHex(value, 32);
  it("reads hex that a node writes in capitals", async () => {
    const { provider, answers, call } = await fixture();
    await answers("one", "0xabcdef");
    const shouting = {
      request: async (asked: Parameters<typeof provider.request>[0]) =>
        `0x${String(await provider.request(asked))
          .slice(2)
          .toUpperCase()}`,
    };
    expect(await boundedCalls(shouting, [call("one")])).to.deep.equal(
      await boundedCalls(provider, [call("one")]),
    );
  });

  const answered = concat([32, 1, 32, 1, 1, 0, 0xabc, 160, 0].map(word));
  const answering = (answer: unknown) => ({ request: async () => answer });
  for (const [name, answer] of [
    ["nothing, as where the override is ignored", "0x"],
    ["no hex", "a result"],
    ["null", null],
    ["words and a half", `${answered}00`],
    ["words that are no hex", answered.replace("abc", "abz")],
    ["an array that begins beyond the end", word(2n ** 255n)],
    ["fewer answers than it says", concat([word(32), word(2n ** 255n), word(32), word(1)])],
    [
      "data that ends too early",
      concat([word(32), word(1), word(32), word(1), word(1), word(0), word(64), word(160), word(64)]),
    ],
  ] as const) {
    it(`reports as the node's error the answer ${name}`, async () => {
      const error = await rejection(boundedCalls(answering(answer), []));
      expect(error).to.be.instanceOf(ChainUnavailableError);
      expect(error.message).to.equal(
        "The node does not support eth_call with a state override, which the service needs to read contracts.",
      );
    });
  }
});
