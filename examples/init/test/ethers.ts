import { expect } from "chai";
import { network } from "hardhat";

describe("Airdrop", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const airdrop = await ethers.deployContract("Airdrop", [registry.address]);
    const [, phone, laptop] = await ethers.getSigners();
    return { identity, airdrop, phone, laptop };
  }

  it("admits a person once, whatever their wallets", async () => {
    const { identity, airdrop, phone, laptop } = await fixture();
    const first = await identity.mint({ consumer: airdrop, user: phone, identity: "alice" });
    await airdrop.connect(phone).claim(...first.args);

    const second = await identity.mint({ consumer: airdrop, user: laptop, identity: "alice" });
    await expect(airdrop.connect(laptop).claim(...second.args))
      .to.be.revertedWithCustomError(airdrop, "IdentityAlreadyUsed")
      .withArgs(first.identityHash);
  });

  it("admits another person", async () => {
    const { identity, airdrop, phone, laptop } = await fixture();
    const alice = await identity.mint({ consumer: airdrop, user: phone, identity: "alice" });
    await airdrop.connect(phone).claim(...alice.args);
    const bob = await identity.mint({ consumer: airdrop, user: laptop, identity: "bob" });
    await airdrop.connect(laptop).claim(...bob.args);
  });

  it("refuses a verification that is expired, forged, or another wallet's", async () => {
    const { identity, airdrop, phone: user } = await fixture();
    const alice = { consumer: airdrop, user, identity: "alice" };
    const expired = await identity.mint({ ...alice, expired: true });
    await expect(airdrop.connect(user).claim(...expired.args)).to.be.revertedWithCustomError(
      airdrop,
      "VerificationExpired",
    );
    for (const fault of [{ wrongSigner: true }, { otherWallet: true }] as const) {
      const forged = await identity.mint({ ...alice, ...fault });
      await expect(airdrop.connect(user).claim(...forged.args)).to.be.revertedWithCustomError(
        airdrop,
        "NotSigner",
      );
    }
  });
});
