import { expect } from "chai";
import hre from "hardhat";
import { onCleanup } from "../fixtures/cleanup.ts";
import { compileCorpus, specimens } from "../fixtures/corpus/project.ts";
import { type Compiled, Stage } from "../fixtures/corpus/stage.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("The corpus", () => {
  let compiled: (name: string) => Compiled;

  before(function () {
    this.timeout(600_000);
    compiled = compileCorpus();
  });

  async function openStage(): Promise<Stage> {
    const { ethers, identity, close } = await hre.network.create("identityLocal");
    onCleanup(close);
    const { address } = await identity.deployRegistry();
    return new Stage({ compiled, identity, accounts: await ethers.getSigners(), registry: address });
  }

  it("has thirty consumers, each with two faults or more", () => {
    expect(specimens.map(({ name }) => name)).to.have.length.of.at.least(30);
    for (const { name, faults } of specimens) expect(Object.keys(faults), name).to.have.length.of.at.least(2);
  });

  for (const specimen of specimens) {
    const { name, faults } = specimen;

    it(`has ${name}, which admits people and refuses a second wallet`, async () => {
      const stage = await openStage();
      const scene = await specimen.deploy(stage, name);
      await stage.claim(scene, "alice", stage.phone);
      const refused = await rejection(stage.claim(scene, "alice", stage.laptop));
      expect(refused.message).to.match(/revert/);
      await stage.claim(scene, "bob", stage.bob);
    });

    for (const [fault, { exploit }] of Object.entries(faults)) {
      it(`has ${name}, which withstands what ${fault} lets happen`, async () => {
        const stage = await openStage();
        const scene = await specimen.deploy(stage, name);
        const refused = await rejection(Promise.resolve().then(() => exploit(scene, stage)));
        expect(refused.message).to.match(/revert|is not a function|^It |^The whole hash counts/);
      });

      it(`has ${name} with the fault ${fault}, which can be exploited`, async () => {
        const stage = await openStage();
        const scene = await specimen.deploy(stage, name + fault);
        await stage.claim(scene, "carol", stage.bob);
        await exploit(scene, stage);
      });
    }
  }
});
