import { writeFileSync } from "node:fs";
import { expect } from "chai";
import hre from "hardhat";
import { firstClaims } from "../fixtures/contracts/firstClaims.ts";
import { skip } from "../fixtures/skip.ts";
import snapshot from "../vectors/gas.json" with { type: "json" };

/** The first enrolment at a minimal consumer with one condition and with four. */
const limits = {
  "MinimalConsumer1.enroll": 59_150,
  "MinimalConsumer4.enroll": 64_000,
  "MinimalOnceConsumer1.enroll": 60_700,
  "MinimalOnceConsumer4.enroll": 65_550,
};

/** The most gas by which one enrolment may exceed another. */
const surcharges = [
  ["MinimalOnceConsumer1.enroll", "MinimalConsumer1.enroll", 1_700],
  ["MinimalRoundConsumer1.enroll", "MinimalOnceConsumer1.enroll", 150],
  ["MinimalPacedConsumer1.enroll", "MinimalOnceConsumer1.enroll", 5_400],
] as const;

describe("The gas of a first use, with receipts of the local chain 84532", () => {
  async function measure(): Promise<Record<string, number>> {
    const gas: Record<string, number> = {};
    for (const [name, send] of Object.entries(firstClaims)) {
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

  for (const [name, than, most] of surcharges) {
    it(`is at most ${most} more for ${name} than for ${than}`, () => {
      expect(Number(measured[name]) - Number(measured[than])).to.be.at.most(most);
    });
  }
});
