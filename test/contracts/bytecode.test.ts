import { expect } from "chai";
import hre, { artifacts } from "hardhat";

describe("The bytecode, which decides the address with CREATE2", () => {
  it("does not depend on the build profile: Ignition builds with another than everything else", () => {
    const { default: usual, ...others } = hre.config.solidity.profiles;
    expect(others).to.have.property("production");
    for (const profile of Object.values(others)) {
      // As text: were the order of the settings another, each build would throw away the other's.
      expect(JSON.stringify(profile)).to.equal(JSON.stringify(usual));
    }
  });

  it("does not depend on comments and other files: it carries no hash of the sources", async () => {
    const { bytecode } = await artifacts.readArtifact("SignerRegistry");
    const ipfs = Buffer.from("ipfs").toString("hex");
    expect(bytecode).to.have.length.above(2).and.not.include(ipfs);
  });
});
