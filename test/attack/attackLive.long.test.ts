import { expect } from "chai";
import { type Contract, ContractFactory } from "ethers";
import { network } from "hardhat";
import { attackWallets } from "../../packages/attack/wallets.ts";
import type { AttackOptions, Claim } from "../../tasks/internal/testing/attack.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { compileCorpus, specimens } from "../fixtures/corpus/project.ts";
import type { Specimen } from "../fixtures/corpus/specimen.ts";
import { type Compiled, Stage } from "../fixtures/corpus/stage.ts";

function specimenOf(wanted: string): Specimen {
  const specimen = specimens.find(({ name }) => name === wanted);
  if (specimen === undefined) throw new Error(`The corpus has no ${wanted}.`);
  return specimen;
}

const none = async () => {};
const supporters: Specimen = {
  ...specimenOf("NewUpgradeable"),
  faults: {
    ...specimenOf("NewUpgradeable").faults,
    Forgets: {
      edits: [["_count(0, proof);", '_count("2", proof);']],
      found: /unsafe upgrade/,
      exploit: none,
    },
    Renames: {
      edits: [
        ["uint256 public supporters;", "uint256 public friends;"],
        ["++supporters;", "++friends;"],
      ],
      found: /^$/,
      exploit: none,
    },
  },
};

/** A few attacks that show how a claim is played. */
const some = ["made-up verification", "verification of another consumer", "second wallet"];

describe("identity.attack of a live contract on a fork", function () {
  this.timeout(300_000);
  let compiled: (name: string) => Compiled;

  before(function () {
    this.timeout(600_000);
    compiled = compileCorpus([supporters, specimenOf("DiamondClaim")]);
  });

  /** Deploys a specimen to a chain whose registry does not trust the public key of development, and forks that chain. */
  async function forkWith(specimen: Specimen, name = specimen.name) {
    const { rpcUrl, provider, registry } = await serveChainWithRegistry();
    const accounts = await Promise.all([0, 1, 2, 3, 4].map((i) => provider.getSigner(i)));
    const wallets = Object.values(attackWallets).map(({ address }) => address);
    const stage = new Stage({
      compiled,
      identity: { mint: () => Promise.reject(new Error("not on the live chain")) } as never,
      accounts,
      registry: String(registry.target),
      wallets,
    });
    const { consumer, claim } = await specimen.deploy(stage, name);
    const [signer] = await (registry as Contract).getFunction("signers")();
    await (await (registry as Contract).getFunction("removeSigner")(signer)).wait();
    const before = await provider.getBlockNumber();
    const { ethers, identity } = await network.create({
      network: "identityLocal",
      override: { forking: { url: (await serveProxy(rpcUrl)).url } },
    });
    const attack = async (options: AttackOptions = { attacks: some }) => {
      const faults = await identity.attack(consumer, claim as Claim, options);
      expect(await provider.getBlockNumber()).to.equal(before);
      return faults.map(({ attack: found, message }) => `${found}: ${message}`).join("\n");
    };
    const [owner] = await ethers.getSigners();
    /** Deploys a next version on the fork, which the live contract's owner upgrades to. */
    const upgradeTo = (next: string) => async () => {
      const { abi, bytecode } = compiled(next);
      const implementation = await new ContractFactory(abi, bytecode, owner).deploy(registry.target);
      await consumer.connect(owner as never).upgradeToAndCall(implementation.target, "0x");
    };
    return { attack, upgradeTo };
  }

  it("names the fault of a proxy, and finds none in a sound one", async () => {
    const sound = await forkWith(supporters);
    expect(
      await sound.attack({ attacks: [...some, "unsafe upgrade", "claim at the implementation"] }),
    ).to.equal("");
    const faulty = await forkWith(supporters, "NewUpgradeableUpgradesForAnybody");
    expect(await faulty.attack({ attacks: [...some, "unsafe upgrade"] })).to.match(
      /^unsafe upgrade: Anybody can upgrade/,
    );
  });

  it("names the fault of a diamond's facet, and finds none in a sound one", async () => {
    const diamond = specimenOf("DiamondClaim");
    expect(await (await forkWith(diamond)).attack()).to.equal("");
    expect(await (await forkWith(diamond, "DiamondClaimRemembersWallets")).attack()).to.match(
      /^second wallet: /,
    );
  });

  it("names what an upgrade forgets, and finds none in an upgrade that remembers", async () => {
    const { attack, upgradeTo } = await forkWith(supporters);
    const attacks = ["unsafe upgrade"];
    expect(await attack({ attacks, upgrade: upgradeTo("NewUpgradeableRenames") })).to.equal("");
    expect(await attack({ attacks, upgrade: upgradeTo("NewUpgradeableForgets") })).to.match(
      /^unsafe upgrade: An upgrade forgets the identities that support\(\) has counted/,
    );
    expect(await attack({ attacks, upgrade: () => Promise.reject(new Error("no upgrade")) })).to.equal("");
  });
});
