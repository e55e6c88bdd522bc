import { writeFileSync } from "node:fs";
import { expect } from "chai";
import type { ContractTransactionResponse } from "ethers";
import hre, { network } from "hardhat";
import { skip } from "../fixtures/skip.ts";
import snapshot from "../vectors/gas.json" with { type: "json" };

/** 2100-01-01: fixed, for the gas of a call depends on how many bytes of its data are zero. */
const expiration = 4_102_444_800;

/** The first enrolment at a minimal consumer with one condition and with four, plain and encoded once. */
const limits = {
  "MinimalConsumer1.enroll": 58_900,
  "MinimalConsumer4.enroll": 63_600,
  "EncodedConsumer1.enroll": 56_500,
  "EncodedConsumer4.enroll": 57_000,
};

describe("The gas of a first use, with receipts of the local chain 84532", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const [, alice] = await ethers.getSigners();
    if (!alice) throw new Error("The node has too few accounts.");

    /** A verification for the wallet `alice`; all that it depends on is the same in every run. */
    async function mint(consumer: { getAddress(): Promise<string> }) {
      const verification = await identity.mint({
        consumer: await consumer.getAddress(),
        user: alice?.address ?? "",
        identity: "alice",
        expiration,
      });
      return [verification.identityHash, verification.expiration, verification.signature] as const;
    }
    return { ethers, registry, alice, mint };
  }

  const measurements: Record<keyof typeof snapshot, () => Promise<ContractTransactionResponse>> = {
    "MinimalConsumer1.enroll": () => enroll("MinimalConsumer1"),
    "MinimalConsumer2.enroll": () => enroll("MinimalConsumer2"),
    "MinimalConsumer4.enroll": () => enroll("MinimalConsumer4"),
    "EncodedConsumer1.enroll": () => enroll("EncodedConsumer1"),
    "EncodedConsumer2.enroll": () => enroll("EncodedConsumer2"),
    "EncodedConsumer4.enroll": () => enroll("EncodedConsumer4"),
    "IncentiveProgram.enroll": () => enroll("IncentiveProgram"),
    "MembershipPass.mint": async () => {
      const { ethers, registry, alice, mint } = await fixture();
      const pass = await ethers.deployContract("MembershipPass", [registry.target]);
      return pass.connect(alice).mint(...(await mint(pass)));
    },
    "VerifiedVault.deposit": async () => {
      const { ethers, registry, alice, mint } = await fixture();
      const token = await ethers.deployContract("ExampleToken");
      const vault = await ethers.deployContract("VerifiedVault", [registry.target, token.target]);
      await token.mint(alice.address, 100n);
      await token.connect(alice).approve(vault.target, 100n);
      return vault.connect(alice).deposit(40n, ...(await mint(vault)));
    },
    "Ballot.vote": async () => {
      const { ethers, registry, alice, mint } = await fixture();
      const ballot = await ethers.deployContract("Ballot", [registry.target]);
      return ballot.connect(alice).vote(true, ...(await mint(ballot)));
    },
  };

  async function enroll(name: `${"Minimal" | "Encoded"}Consumer${1 | 2 | 4}` | "IncentiveProgram") {
    const { ethers, registry, alice, mint } = await fixture();
    const consumer = await ethers.getContractAt(
      "IncentiveProgram",
      (await ethers.deployContract(name, [registry.target])).target.toString(),
    );
    return consumer.connect(alice).enroll(...(await mint(consumer)));
  }

  async function measure(): Promise<Record<string, number>> {
    const gas: Record<string, number> = {};
    for (const [name, send] of Object.entries(measurements)) {
      const receipt = await (await send()).wait();
      gas[name] = Number(receipt?.gasUsed);
    }
    return gas;
  }

  let measured: Record<string, number>;

  before(async function () {
    if (hre.globalOptions.coverage) {
      skip(this, "coverage compiles counters into every contract", "running without --coverage");
    }
    measured = await measure();
    if (process.env.UPDATE_GAS_SNAPSHOT !== undefined) {
      writeFileSync(
        new URL("../vectors/gas.json", import.meta.url),
        `${JSON.stringify(measured, null, 2)}\n`,
      );
    }
  });

  it("is what the snapshot says; UPDATE_GAS_SNAPSHOT=1 writes a new one", function () {
    if (process.env.UPDATE_GAS_SNAPSHOT !== undefined) {
      skip(this, "the snapshot has just been written", "running without UPDATE_GAS_SNAPSHOT");
    }
    expect(measured).to.deep.equal(snapshot);
  });

  for (const [name, limit] of Object.entries(limits)) {
    it(`is at most ${limit} for ${name}`, () => {
      expect(measured[name]).to.be.at.most(limit);
    });
  }
});
