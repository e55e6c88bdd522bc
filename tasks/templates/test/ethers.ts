import { expect } from "chai";
import { network } from "hardhat";

describe("Airdrop", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const consumer = await ethers.deployContract("Airdrop", [registry.address]);
    const [, phone, laptop] = await ethers.getSigners();
    if (!phone || !laptop) throw new Error("The network has too few accounts.");
    return { identity, consumer, phone, laptop };
  }

  it("admits a person once, with any wallet", async () => {
    const { identity, consumer, phone, laptop } = await fixture();
    const first = await identity.mint({ consumer, user: phone, identity: "alice" });
    await consumer.connect(phone).claim(...first.args);

    const second = await identity.mint({ consumer, user: laptop, identity: "alice" });
    await expect(consumer.connect(laptop).claim(...second.args))
      .to.be.revertedWithCustomError(consumer, "IdentityAlreadyUsed")
      .withArgs(first.identityHash);
  });

  it("admits another person", async () => {
    const { identity, consumer, phone, laptop } = await fixture();
    const alice = await identity.mint({ consumer, user: phone, identity: "alice" });
    await consumer.connect(phone).claim(...alice.args);
    const bob = await identity.mint({ consumer, user: laptop, identity: "bob" });
    await consumer.connect(laptop).claim(...bob.args);
  });

  it("refuses a verification that is expired, forged, or another wallet's", async () => {
    const { identity, consumer, phone: user } = await fixture();
    const alice = { consumer, user, identity: "alice" };
    const expired = await identity.mint({ ...alice, expired: true });
    await expect(consumer.connect(user).claim(...expired.args)).to.be.revertedWithCustomError(
      consumer,
      "VerificationExpired",
    );
    for (const fault of [{ wrongSigner: true }, { otherWallet: true }] as const) {
      const forged = await identity.mint({ ...alice, ...fault });
      await expect(consumer.connect(user).claim(...forged.args)).to.be.revertedWithCustomError(
        consumer,
        "NotSigner",
      );
    }
  });

  it("holds against every known attack", async () => {
    const { identity, consumer } = await fixture();
    const faults = await identity.attack(consumer, ({ verification, wallet }) =>
      consumer.connect(wallet).claim(...verification.args),
    );
    expect(faults).to.deep.equal([]);
  }).timeout(120_000);
});
