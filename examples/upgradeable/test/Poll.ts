import { expect } from "chai";
import { network } from "hardhat";

describe("Poll behind a proxy", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const [owner, phone, laptop, bob] = await ethers.getSigners();
    const registry = await identity.deployRegistry();
    const first = await ethers.deployContract("Poll", [registry.address]);
    const initialize = first.interface.encodeFunctionData("initialize", [owner.address]);
    const proxy = await ethers.deployContract("ERC1967Proxy", [first.target, initialize]);
    const poll = await ethers.getContractAt("PollV2", proxy.target);
    const upgrade = async (caller = owner) => {
      const next = await ethers.deployContract("PollV2", [registry.address]);
      await poll.connect(caller).upgradeToAndCall(next.target, "0x");
    };
    // The consumer is the proxy: nobody verifies anything for the implementation.
    const mint = async (user: typeof owner, name: string) =>
      (await identity.mint({ consumer: poll, user, identity: name })).args;
    return { ethers, identity, registry, first, poll, upgrade, mint, phone, laptop, bob };
  }

  it("remembers the people who voted, through an upgrade", async () => {
    const { poll, upgrade, mint, phone, laptop, bob } = await fixture();
    await poll.connect(phone).vote(true, ...(await mint(phone, "alice")));
    await upgrade();
    await expect(
      poll.connect(laptop).abstain(...(await mint(laptop, "alice"))),
    ).to.be.revertedWithCustomError(poll, "IdentityAlreadyUsed");
    await poll.connect(bob).abstain(...(await mint(bob, "bob")));
    expect([await poll.yes(), await poll.no(), await poll.abstained()]).to.deep.equal([1n, 0n, 1n]);
  });

  it("takes a verification that was issued before the upgrade: policy and cutoff stay the same", async () => {
    const { ethers, poll, upgrade, mint, phone, registry } = await fixture();
    const { policyHash } = await ethers.getContractAt([...registry.abi], registry.address);
    const [policy, cutoff] = [await policyHash(poll), await poll.cutoffBlock()];
    const verification = await mint(phone, "alice");
    await upgrade();
    expect(await policyHash(poll)).to.equal(policy);
    expect(await poll.cutoffBlock()).to.equal(cutoff);
    await poll.connect(phone).vote(true, ...verification);
  });

  it("can be initialized once, and upgraded by its owner alone", async () => {
    const { first, poll, upgrade, phone } = await fixture();
    for (const contract of [first, poll]) {
      await expect(contract.initialize(phone.address)).to.be.revertedWithCustomError(
        poll,
        "InvalidInitialization",
      );
    }
    await expect(upgrade(phone)).to.be.revertedWithCustomError(poll, "OwnableUnauthorizedAccount");
  });
});
