import { describe, it } from "node:test";
import { network } from "hardhat";

describe("Airdrop", () => {
  async function fixture() {
    const { viem, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const airdrop = await viem.deployContract("Airdrop", [registry.address]);
    const [, phone, laptop] = await viem.getWalletClients();
    return { viem, identity, airdrop, phone, laptop };
  }

  it("admits a person once, whatever their wallets", async () => {
    const { viem, identity, airdrop, phone, laptop } = await fixture();
    const first = await identity.mint({ consumer: airdrop, user: phone, identity: "alice" });
    await airdrop.write.claim([...first.args], { account: phone.account });

    const second = await identity.mint({ consumer: airdrop, user: laptop, identity: "alice" });
    await viem.assertions.revertWithCustomErrorWithArgs(
      airdrop.write.claim([...second.args], { account: laptop.account }),
      airdrop,
      "IdentityAlreadyUsed",
      [first.identityHash],
    );
  });

  it("admits another person", async () => {
    const { identity, airdrop, phone, laptop } = await fixture();
    const alice = await identity.mint({ consumer: airdrop, user: phone, identity: "alice" });
    await airdrop.write.claim([...alice.args], { account: phone.account });
    const bob = await identity.mint({ consumer: airdrop, user: laptop, identity: "bob" });
    await airdrop.write.claim([...bob.args], { account: laptop.account });
  });

  it("refuses a verification that is expired, forged, or another wallet's", async () => {
    const { viem, identity, airdrop, phone: user } = await fixture();
    const alice = { consumer: airdrop, user, identity: "alice" };
    const expired = await identity.mint({ ...alice, expired: true });
    await viem.assertions.revertWithCustomError(
      airdrop.write.claim([...expired.args], { account: user.account }),
      airdrop,
      "VerificationExpired",
    );
    for (const fault of [{ wrongSigner: true }, { otherWallet: true }] as const) {
      const forged = await identity.mint({ ...alice, ...fault });
      await viem.assertions.revertWithCustomError(
        airdrop.write.claim([...forged.args], { account: user.account }),
        airdrop,
        "NotSigner",
      );
    }
  });
});
