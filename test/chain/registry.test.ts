import { expect } from "chai";
import { AbiCoder, concat, id } from "ethers";
import { network } from "hardhat";
import { boundedCalls } from "../../chain/boundedCalls.ts";
import { allowlistCall, describeAllowlistProblem, readRegistry } from "../../chain/registry.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("readRegistry", () => {
  it("tells the registry, or that the contract does not", async () => {
    const { provider, ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry.target]);
    expect(await readRegistry(provider, await program.getAddress())).to.equal(registry.target);
    const other = await ethers.deployContract("EndlessData");
    expect((await rejection(readRegistry(provider, await other.getAddress()))).message).to.include(
      "registry()",
    );
    const scripted = await ethers.deployContract("ScriptedConsumer");
    const word = AbiCoder.defaultAbiCoder().encode(["uint256"], [1n << 160n]);
    await scripted.script(id("registry()").slice(0, 10), false, word);
    expect((await rejection(readRegistry(provider, await scripted.getAddress()))).message).to.include(
      "registry()",
    );
    const nothing = await rejection(readRegistry(provider, `0x${"12".repeat(20)}`));
    expect(nothing.message).to.include("There is no contract");
  });
});

describe("The registry's allowlist", () => {
  /** What is said of a contract that answers `isSigner` with the data. */
  async function problem(data: string): Promise<string | undefined> {
    const { provider, ethers } = await network.create("identityLocal");
    const contract = await ethers.deployContract("ScriptedConsumer");
    await contract.script(id("isSigner(address)").slice(0, 10), false, data);
    const registry = await contract.getAddress();
    const signer = `0x${"12".repeat(20)}`;
    const [answer] = await boundedCalls(provider, [allowlistCall(registry, signer)]);
    return describeAllowlistProblem(answer, { registry, signer });
  }
  const word = (value: number) => AbiCoder.defaultAbiCoder().encode(["uint256"], [value]);

  it("has an account where the answer is true, and in no other case", async () => {
    expect(await problem(word(1))).to.equal(undefined);
    for (const value of [0, 2]) expect(await problem(word(value))).to.include("is not on the allowlist");
  });

  it("is none where the answer is not one word", async () => {
    expect(await problem(concat([word(1), "0x00"]))).to.include("is not a SignerRegistry");
    expect(await problem("0x01")).to.include("is not a SignerRegistry");
  });
});
