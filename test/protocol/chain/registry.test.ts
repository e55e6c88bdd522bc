import { expect } from "chai";
import { AbiCoder, concat, getAddress, id, toBeHex } from "ethers";
import { network } from "hardhat";
import { boundedCalls } from "../../../packages/protocol/chain/boundedCalls.ts";
import {
  allowlistCalls,
  decodeSigners,
  findRegistryProblem,
  judgeAllowlist,
  readRegistry,
  signersCall,
} from "../../../packages/protocol/chain/registry.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("readRegistry", () => {
  it("returns the consumer's registry, or that it names none", async () => {
    const { provider, ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry.target]);
    expect(await readRegistry(provider, await program.getAddress())).to.equal(registry.target);
    const other = await ethers.deployContract("EndlessData");
    expect((await rejection(readRegistry(provider, await other.getAddress()))).message).to.equal(
      `The contract ${await other.getAddress()} does not answer registry(); name the registry.`,
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

describe("signersCall", () => {
  it("reads an allowlist of hundreds of signers", async () => {
    const { provider, ethers } = await network.create("identityLocal");
    const [owner] = await ethers.getSigners();
    const signers = Array.from({ length: 200 }, (_, i) => toBeHex(i + 1, 20));
    const registry = await (await ethers.deployContract("SignerRegistry", [owner, signers])).getAddress();
    const [answer] = await boundedCalls(provider, [signersCall(registry)]);
    expect(decodeSigners(answer?.data ?? "")).to.deep.equal(signers.map(getAddress));
  });
});

describe("findRegistryProblem", () => {
  it("accepts a registry, and says what is wrong with any other contract", async () => {
    const { provider, ethers, identity } = await network.create("identityLocal");
    const registry = String((await identity.deployRegistry()).target);
    expect(await findRegistryProblem(provider, registry)).to.equal(undefined);
    expect(await findRegistryProblem(provider, registry.toLowerCase())).to.equal(undefined);
    const nobody = `0x${"12".repeat(20)}`;
    expect(await findRegistryProblem(provider, nobody)).to.equal(
      `There is no contract at ${nobody} on this chain.`,
    );
    for (const name of ["BatchExecutor", "EndlessGas", "EndlessData", "RevertBomb", "ExampleToken"]) {
      const address = await (await ethers.deployContract(name)).getAddress();
      expect(await findRegistryProblem(provider, address), name).to.equal(
        `The contract ${address} is not a SignerRegistry.`,
      );
    }
  });

  it("accepts a registry on another chain too", async () => {
    const { provider, ethers } = await network.create({
      network: "identityLocal",
      override: { chainId: 10 },
    });
    const [owner] = await ethers.getSigners();
    const registry = await (await ethers.deployContract("SignerRegistry", [owner, []])).getAddress();
    expect(await findRegistryProblem(provider, registry)).to.equal(undefined);
  });

  it("refuses another EIP-712 domain, and one with trailing bytes", async () => {
    const { provider, ethers } = await network.create("identityLocal");
    const contract = await ethers.deployContract("ScriptedConsumer");
    const address = await contract.getAddress();
    const script = (reverts: boolean, data: string) =>
      contract.script(id("eip712Domain()").slice(0, 10), reverts, data);
    const domain = (name: string, chainId: number, verifyingContract: string) =>
      AbiCoder.defaultAbiCoder().encode(
        ["bytes1", "string", "string", "uint256", "address", "bytes32", "uint256[]"],
        ["0x0f", name, "1", chainId, verifyingContract, `0x${"00".repeat(32)}`, []],
      );
    const right = domain("SignerRegistry", 84532, address);
    await script(false, right);
    expect(await findRegistryProblem(provider, address)).to.equal(undefined);
    for (const wrong of [
      domain("Ether Mail", 84532, address),
      domain("SignerRegistry", 8453, address),
      domain("SignerRegistry", 84532, `0x${"12".repeat(20)}`),
      concat([right, "0x00"]),
    ]) {
      await script(false, wrong);
      expect(await findRegistryProblem(provider, address)).to.include("is not a SignerRegistry");
    }
    await script(true, right);
    expect(await findRegistryProblem(provider, address)).to.include("is not a SignerRegistry");
  });
});

describe("The registry's allowlist", () => {
  /** The problem with a contract that answers `isSigner` with the data. */
  async function problem(data: string): Promise<string | undefined> {
    const { provider, ethers } = await network.create("identityLocal");
    const contract = await ethers.deployContract("ScriptedConsumer");
    await contract.script(id("isSigner(address)").slice(0, 10), false, data);
    const registry = await contract.getAddress();
    const allowlist = { registry, signers: [`0x${"12".repeat(20)}`] };
    return judgeAllowlist(await boundedCalls(provider, allowlistCalls(allowlist)), allowlist).problem;
  }
  const word = (value: number) => AbiCoder.defaultAbiCoder().encode(["uint256"], [value]);

  it("includes an account only if the answer is exactly true", async () => {
    expect(await problem(word(1))).to.equal(undefined);
    for (const value of [0, 2]) expect(await problem(word(value))).to.include("is not on the allowlist");
  });

  it("returns the included ones of several accounts in the given order", async () => {
    const { provider, ethers } = await network.create("identityLocal");
    const [owner] = await ethers.getSigners();
    const [one = "", two = "", three = ""] = ["12", "34", "56"].map((byte) => `0x${byte.repeat(20)}`);
    const contract = await ethers.deployContract("SignerRegistry", [owner, [three, one]]);
    const registry = await contract.getAddress();
    const read = async (...signers: string[]) => {
      const allowlist = { registry, signers };
      return judgeAllowlist(await boundedCalls(provider, allowlistCalls(allowlist)), allowlist);
    };
    expect(await read(one, two, three)).to.deep.equal({
      allowed: [one, three],
      problem: undefined,
      missing: [two],
    });
    expect(await read(two)).to.deep.equal({
      allowed: [],
      problem: `The signer ${two} is not on the allowlist of the registry ${registry}; its owner must call addSigner(${two}).`,
      missing: [two],
    });
    await (await contract.removeSigner(one)).wait();
    expect(await read(two, one)).to.deep.equal({
      allowed: [],
      problem: `Neither the signer ${one} nor the next one, ${two}, is on the allowlist of the registry ${registry}; its owner must call addSigner(${two}).`,
      missing: [two, one],
    });
  });

  it("is unreadable if an answer is not one word", async () => {
    expect(await problem(concat([word(1), "0x00"]))).to.include("is not a SignerRegistry");
    expect(await problem("0x01")).to.include("is not a SignerRegistry");
  });
});
