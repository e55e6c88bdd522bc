import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";

void describe("Airdrop", () => {
  async function fixture() {
    const { viem, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const consumer = await viem.deployContract("Airdrop", [registry.address]);
    const [, phone, laptop] = await viem.getWalletClients();
    if (!phone || !laptop) throw new Error("The network has too few accounts.");
    return { viem, identity, consumer, phone, laptop };
  }

  void it("admits a person once, with any wallet", async () => {
    const { viem, identity, consumer, phone, laptop } = await fixture();
    const first = await identity.mint({ consumer, user: phone, identity: "alice" });
    await consumer.write.claim(first.args, { account: phone.account });

    const second = await identity.mint({ consumer, user: laptop, identity: "alice" });
    await viem.assertions.revertWithCustomErrorWithArgs(
      consumer.write.claim(second.args, { account: laptop.account }),
      consumer,
      "IdentityAlreadyUsed",
      [first.identityHash],
    );
  });

  void it("admits another person", async () => {
    const { identity, consumer, phone, laptop } = await fixture();
    const alice = await identity.mint({ consumer, user: phone, identity: "alice" });
    await consumer.write.claim(alice.args, { account: phone.account });
    const bob = await identity.mint({ consumer, user: laptop, identity: "bob" });
    await consumer.write.claim(bob.args, { account: laptop.account });
  });

  void it("refuses a verification that is expired, forged, or another wallet's", async () => {
    const { viem, identity, consumer, phone: user } = await fixture();
    const alice = { consumer, user, identity: "alice" };
    const expired = await identity.mint({ ...alice, expired: true });
    await viem.assertions.revertWithCustomError(
      consumer.write.claim(expired.args, { account: user.account }),
      consumer,
      "VerificationExpired",
    );
    for (const fault of [{ wrongSigner: true }, { otherWallet: true }] as const) {
      const forged = await identity.mint({ ...alice, ...fault });
      await viem.assertions.revertWithCustomError(
        consumer.write.claim(forged.args, { account: user.account }),
        consumer,
        "NotSigner",
      );
    }
  });

  void it("holds against every known attack", async () => {
    const { identity, consumer } = await fixture();
    const faults = await identity.attack(consumer, ({ verification, wallet }) =>
      consumer.write.claim(verification.args, { account: wallet.account }),
    );
    assert.deepEqual(faults, []);
  });
});
