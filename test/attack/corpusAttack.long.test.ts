import { expect } from "chai";
import hre from "hardhat";
import { attackClaim } from "../../packages/attack/internal/attack.ts";
import { attackWallets } from "../../packages/attack/wallets.ts";
import type { AttackOptions, Claim, Deployable } from "../../tasks/internal/testing/attack.ts";
import { compileCorpus, specimens } from "../fixtures/corpus/project.ts";
import type { Specimen } from "../fixtures/corpus/specimen.ts";
import { type Compiled, Stage } from "../fixtures/corpus/stage.ts";

/** Faults that docs/green.md says stay hidden, as a person may take part once in each of a few rounds. */
const missed = ["EntersLaterRaffles", "RoundByTier"];

/** Seconds of computing that an attack may take. */
const most = 20;

describe("The attacks on the corpus", function () {
  this.timeout(300_000);
  let compiled: (name: string) => Compiled;

  before(function () {
    this.timeout(600_000);
    compiled = compileCorpus();
  });

  /** Deploys a specimen to a chain of its own, and attacks it by its claim. */
  async function attack(specimen: Specimen, fault = "") {
    const { ethers, identity, provider, close } = await hre.network.create("identityLocal");
    try {
      const { address: registry } = await identity.deployRegistry();
      const wallets = Object.values(attackWallets).map(({ address }) => address);
      const accounts = await ethers.getSigners();
      const stage = new Stage({ compiled, identity, accounts, registry, wallets });
      const name = specimen.name + fault;
      const { consumer, claim, prepare, sender } = await specimen.deploy(stage, name);
      const abi: Deployable["abi"] = JSON.parse(consumer.interface.formatJson());
      const options: AttackOptions = { sender, prepare };
      const known = { name, address: String(consumer.target), abi };
      const openWallet = async (address: string) => (await ethers.getSigner(address)) as never;
      return await attackClaim(provider, known, claim as Claim, options, { openWallet });
    } finally {
      await close();
    }
  }

  for (const specimen of specimens) {
    const { name, faults } = specimen;

    it(`find nothing in ${name} within ${most} s of computing, and say "held" of what they try`, async () => {
      const before = process.cpuUsage();
      const { findings, tried } = await attack(specimen);
      expect(process.cpuUsage(before).user / 1e6).to.be.below(most);
      expect(findings).to.deep.equal([]);
      const held = tried.filter(({ result }) => result === "held").map((each) => each.attack);
      expect(held).to.include("made-up verification").and.to.include("second wallet");
    });

    for (const [fault, { found, hidden }] of Object.entries(faults)) {
      if (hidden !== undefined || missed.includes(fault)) continue;
      it(`find ${fault} in ${name}`, async () => {
        const { findings } = await attack(specimen, fault);
        expect(findings.map((each) => each.attack).join()).to.match(found);
      });
    }
  }
});
