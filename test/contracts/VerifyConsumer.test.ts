import { expect } from "chai";
import { Interface, ZeroAddress } from "ethers";
import { artifacts, network } from "hardhat";
import { createPublicClient, custom } from "viem";
import { deploySafeContracts, executeAsSafe, planSafe } from "../fixtures/chain/safe.ts";
import { rejection } from "../fixtures/rejection.ts";

/** 2100-01-01. */
const later = 4_102_444_800;

const cutoffs = {
  ExternalGate: 0n,
  ExternalGateWithCutoff: 7n,
  PublicGate: 0n,
  PublicGateWithCutoff: 7n,
} as const;
type Name = keyof typeof cutoffs;

describe("A consumer that extends VerifyConsumer", () => {
  async function fixture(name: Name) {
    const { ethers, identity, provider: node } = await network.create("identityLocal");
    const registry = await ethers.getContractAt(
      "SignerRegistry",
      String((await identity.deployRegistry()).target),
    );
    const [owner, alice, bob] = await ethers.getSigners();
    if (!owner || !alice || !bob) throw new Error("The node has too few accounts.");
    const address = String((await ethers.deployContract(name, [registry.target])).target);
    // The four have the same ABI.
    const consumer = await ethers.getContractAt("ExternalGate", address);
    const verification = await identity.mint({
      consumer: address,
      user: alice.address,
      identity: "alice",
      expiration: later,
    });
    return { registry, owner, alice, bob, consumer, verification, node };
  }

  for (const name of Object.keys(cutoffs) as Name[]) {
    it(`declares its policy in external or in public functions: ${name}`, async () => {
      const { consumer, alice, verification } = await fixture(name);
      expect(await consumer.getFunction("provider").staticCall()).to.equal("microblog");
      expect(await consumer.conditions()).to.deep.equal([["followers", "gt", "1000"]]);
      expect(await consumer.cutoffBlock()).to.equal(cutoffs[name]);
      await consumer
        .connect(alice)
        .enter(verification.identityHash, verification.expiration, verification.signature);
      expect(await consumer.admitted()).to.equal(1n);
    });
  }

  for (const name of [
    ...(Object.keys(cutoffs) as Name[]),
    "Airdrop",
    "IncentiveProgram",
    "MembershipPass",
    "VerifiedVault",
    "Ballot",
  ]) {
    it(`has the registry's errors in its own ABI: ${name}`, async () => {
      const { abi } = await artifacts.readArtifact(name);
      const own = Interface.from(abi);
      for (const error of [
        "VerificationExpired(uint40)",
        "PolicyNotFound(address)",
        "InvalidSignature()",
        "NotSigner(address)",
      ]) {
        expect(own.getError(error)?.format()).to.equal(error);
      }
    });
  }

  it("takes no Safe for a registry", async () => {
    const { ethers } = await network.create("identityLocal");
    const [owner] = await ethers.getSigners();
    if (!owner) throw new Error("The node has too few accounts.");
    const contracts = await deploySafeContracts(owner as never);
    const safe = await planSafe(contracts, [owner.address], 1);
    await safe.deploy();
    // Most Safes refuse calls that they do not know, by their fallback handler; without one, a Safe takes them.
    const data = contracts.singleton.interface.encodeFunctionData("setFallbackHandler", [ZeroAddress]);
    await executeAsSafe(contracts, safe.address, owner as never, { to: safe.address, value: "0", data });
    expect(await ethers.provider.call({ to: safe.address, data: "0x12345678" })).to.equal("0x");
    const factory = await ethers.getContractFactory("ExternalGate");
    await expect(factory.deploy(safe.address))
      .to.be.revertedWithCustomError(factory, "InvalidRegistry")
      .withArgs(safe.address);
  });

  it("lets viem name the error, with nothing but the consumer's ABI", async () => {
    const { consumer, alice, verification, node } = await fixture("ExternalGate");
    const { abi } = await artifacts.readArtifact("ExternalGate");
    const simulated = createPublicClient({ transport: custom(node) }).simulateContract({
      account: alice.address as `0x${string}`,
      address: String(consumer.target) as `0x${string}`,
      abi,
      functionName: "enter",
      args: [verification.identityHash, 1, verification.signature],
    });
    const { cause } = (await rejection(simulated)) as { cause?: { data?: unknown } };
    expect(cause?.data).to.deep.include({ errorName: "VerificationExpired", args: [1] });
  });
});
