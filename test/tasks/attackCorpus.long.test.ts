import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import hre from "hardhat";
import { attackConsumer } from "../../packages/attack/internal/attackConsumer.ts";
import { deployForAttack } from "../../packages/attack/internal/deploy.ts";
import { openStage } from "../../packages/attack/internal/stage.ts";
import type { Deployable } from "../../tasks/internal/testing/attack.ts";
import { attackedProject, soundConsumers } from "../fixtures/tasks/attackedProject.ts";
import { brokenConsumers } from "../fixtures/tasks/brokenConsumers.ts";

/**
 * Deploys a contract to a chain of its own, and attacks it.
 *
 * @param only The one attack to play, on what is known by address and ABI alone.
 */
async function attack(name: string, artifacts: ReadonlyMap<string, Deployable>, only?: string) {
  const { provider: node, close } = await hre.network.create("identityLocal");
  try {
    const contract = artifacts.get(name);
    if (contract === undefined) throw new Error(`${name} was not compiled.`);
    const others = [...artifacts.values()].filter(
      (other) => other.contractName in soundConsumers && other !== contract,
    );
    const attacked = await deployForAttack(await openStage(node), contract, {}, others);
    const { address, abi, owner } = attacked;
    if (only === undefined) {
      const numbers: number[] = [];
      const onAttack = (_: string, number: number) => void numbers.push(number);
      const rehearsal = await attackConsumer(node, attacked, { onAttack });
      // Without a finding, none is left out.
      const all = Array.from({ length: rehearsal.total }, (_, i) => i + 1);
      if (rehearsal.findings.length === 0) expect(numbers).to.deep.equal(all);
      return rehearsal;
    }
    return await attackConsumer(node, { name, address, abi, owner }, { attacks: [only] });
  } finally {
    await close();
  }
}

describe("The attacks", () => {
  const artifacts = new Map<string, Deployable>();

  before(async function () {
    this.timeout(300_000);
    const { folder, hardhat } = await attackedProject();
    const { code, stderr } = await hardhat(["build"]);
    expect(code, stderr).to.equal(0);
    for (const file of globSync(`${folder}/artifacts/contracts/attacked/*.sol/*.json`)) {
      const artifact: Deployable = JSON.parse(readFileSync(file, "utf8"));
      artifacts.set(artifact.contractName, artifact);
    }
  });

  for (const [name, { attack: wanted, words }] of Object.entries(brokenConsumers)) {
    it(`find the fault of ${name}`, async () => {
      const { findings } = await attack(name, artifacts);
      const found = findings.filter((each) => each.attack === wanted).map(({ message }) => message);
      expect(found, JSON.stringify(findings)).to.satisfy((all: string[]) =>
        all.some((each) => each.includes(words)),
      );
      expect(findings.flatMap(({ transactions }) => transactions.map(({ hash }) => hash.length))).to.satisfy(
        (lengths: number[]) => lengths.every((length) => length === 66),
      );
    });
  }

  for (const [i, [name, { attack: wanted, words }]] of Object.entries(brokenConsumers).entries()) {
    // Half of them, for the time that all take.
    if (i % 2 === 1) continue;
    // Without the source, there is no other version to upgrade to.
    if (wanted === "unsafe upgrade" && !words.startsWith("Anybody")) continue;
    it(`find the fault of ${name} by address and ABI alone`, async () => {
      const { findings } = await attack(name, artifacts, wanted);
      expect(findings.map(({ message }) => message).join("\n")).to.include(words);
    });
  }

  it("lay to a function only what it changes", async () => {
    const { findings } = await attack("IgnoresTheAnswer", artifacts);
    expect(findings.map((each) => each.attack)).to.deep.equal(["made-up verification"]);
  });

  it("lay to an upgrade only what an upgrade forgets", async () => {
    const { findings } = await attack("CountsNobodyUpgradeable", artifacts);
    const attacks = findings.map((each) => each.attack);
    expect(attacks).to.include("second wallet").and.not.include("unsafe upgrade");
  });

  for (const name of Object.keys(soundConsumers)) {
    it(`find nothing in ${name}`, async () => {
      const { findings, untried } = await attack(name, artifacts);
      const blocked = untried.filter(({ attack }) => attack === "every attack");
      expect({ findings, blocked }).to.deep.equal({ findings: [], blocked: [] });
    });
  }
});
