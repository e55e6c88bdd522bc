import { existsSync, globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import { ContractFactory } from "ethers";
import hre from "hardhat";
import { attackClaim } from "../../packages/attack/internal/attack.ts";
import type { Compiled } from "../../tasks/internal/testing/attack.ts";
import { showClaim } from "../fixtures/attacked/claims.ts";
import { attackedProject, soundConsumers } from "../fixtures/tasks/attackedProject.ts";
import { brokenConsumers } from "../fixtures/tasks/brokenConsumers.ts";

/** Deploys a contract to a chain of its own, and attacks it by the claim of its kind. */
async function attack(
  name: string,
  file: string,
  artifacts: ReadonlyMap<string, Compiled>,
  attacks?: readonly string[],
) {
  const connection = await hre.network.create("identityLocal");
  const { ethers, identity, provider } = connection;
  try {
    const artifact = artifacts.get(name);
    if (artifact === undefined) throw new Error(`${name} was not compiled.`);
    const [owner] = await ethers.getSigners();
    if (owner === undefined) throw new Error("The network has no account.");
    const registry = await identity.deployRegistry();
    const place = {
      owner,
      registry: registry.address,
      deploy: (other: string, args: readonly unknown[] = []) => ethers.deployContract(other, [...args]),
      create: async (args: readonly unknown[], other = name) => {
        const { abi, bytecode } = artifacts.get(other) ?? artifact;
        const factory = new ContractFactory([...abi], bytecode, owner);
        const contract = await factory.deploy(...args);
        return contract.waitForDeployment();
      },
      request: (method: string, ...params: unknown[]) => provider.request({ method, params }),
    };
    const { contract, claim, options = {} } = await showClaim(file, place, artifact);
    const others = new Map([...artifacts].filter(([other]) => other in soundConsumers || other === name));
    const known = { name, address: String(contract.target), abi: artifact.abi };
    return await attackClaim(
      provider,
      known,
      claim,
      { ...options, attacks },
      {
        artifacts: {
          getAllFullyQualifiedNames: async () => new Set(others.keys()),
          artifactExists: async (each) => others.has(each),
          readArtifact: async (each) => others.get(each) as Compiled,
        },
        openWallet: async (address) => (await ethers.getSigner(address)) as never,
      },
    );
  } finally {
    await connection.close();
  }
}

describe("The attacks, shown one claim", () => {
  const artifacts = new Map<string, Compiled>();

  before(async function () {
    this.timeout(900_000);
    let folder = process.env.ATTACKED ?? "";
    if (!existsSync(folder)) {
      const project = await attackedProject();
      const { code, stderr } = await project.hardhat(["build"]);
      expect(code, stderr).to.equal(0);
      folder = `${project.folder}/artifacts/contracts/attacked`;
    }
    for (const file of globSync(`${folder}/*.sol/*.json`)) {
      const artifact: Compiled = JSON.parse(readFileSync(file, "utf8"));
      artifacts.set(artifact.contractName, artifact);
    }
  });

  for (const [name, { of, attack: wanted, words }] of Object.entries(brokenConsumers)) {
    it(`find the fault of ${name}`, async () => {
      const { findings } = await attack(name, of, artifacts);
      const found = findings.filter((each) => each.attack === wanted).map(({ message }) => message);
      expect(found, JSON.stringify(findings)).to.satisfy((all: string[]) =>
        all.some((each) => each.includes(words)),
      );
      expect(findings.flatMap(({ transactions }) => transactions.map(({ hash }) => hash.length))).to.satisfy(
        (lengths: number[]) => lengths.every((length) => length === 66),
      );
    });
  }

  it("name a verification for another policy of the same contract", async () => {
    const file = "test/fixtures/attacked/SoundByHand.sol";
    const attacks = ["verification of another policy"];
    const { findings } = await attack("AllowsAnyPolicy", file, artifacts, attacks);
    expect(findings.map((each) => each.attack)).to.deep.equal(attacks);
    expect((await attack("SoundByHand", file, artifacts, attacks)).tried).to.deep.equal([
      { attack: attacks[0], result: "held" },
    ]);
  });

  it("lay to a function only what it changes", async () => {
    const { findings } = await attack("IgnoresTheAnswer", "contracts/examples/MembershipPass.sol", artifacts);
    expect(findings.map((each) => each.attack)).to.deep.equal(["made-up verification"]);
  });

  it("lay to an upgrade only what an upgrade forgets", async () => {
    const file = "examples/upgradeable/contracts/Poll.sol";
    const { findings } = await attack("CountsNobodyUpgradeable", file, artifacts);
    const attacks = findings.map((each) => each.attack);
    expect(attacks).to.include("second wallet").and.not.include("unsafe upgrade");
  });

  for (const [name, file] of Object.entries(soundConsumers)) {
    // Only its target calls it, which its own tests play.
    if (name === "ExampleVerifiedPolicy") continue;
    it(`find nothing in ${name} within 20 s of computing, and say "held" of what they try`, async () => {
      const before = process.cpuUsage();
      const { findings, tried } = await attack(name, file, artifacts);
      expect(process.cpuUsage(before).user / 1e6).to.be.below(20);
      const held = tried.filter(({ result }) => result === "held").map((each) => each.attack);
      expect(findings, basename(file)).to.deep.equal([]);
      expect(held).to.include("made-up verification").and.to.include("second wallet");
    });
  }
});
