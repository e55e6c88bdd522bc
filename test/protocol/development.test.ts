import { expect } from "chai";
import { computeAddress, id } from "ethers";
import { network } from "hardhat";
import { development, isWellKnownAddress } from "../../packages/protocol/development.ts";

describe("The development secrets", () => {
  it("has development secrets that are the hashes they are said to be", () => {
    expect(development.signingKey).to.equal(id("hardhat-identity development signing key"));
    expect(development.signer).to.equal(computeAddress(development.signingKey));
    expect(development.masterSecret).to.equal(id("hardhat-identity development master secret"));
  });

  it("knows the development keys and every account of a Hardhat node as public, and no other", async () => {
    const { ethers } = await network.create("identityLocal");
    const accounts = (await ethers.getSigners()).map(({ address }) => address);
    expect(accounts).to.have.length(20);
    for (const address of [...accounts, development.signer]) {
      expect(isWellKnownAddress(address)).to.equal(true);
      expect(isWellKnownAddress(address.toLowerCase())).to.equal(true);
    }
    expect(isWellKnownAddress(ethers.Wallet.createRandom().address)).to.equal(false);
  });
});
