import { expect } from "chai";
import { type Addressable, encodeBytes32String } from "ethers";
import { network } from "hardhat";
import { findPolicyProblem } from "../../protocol/policy.ts";
import { encodePolicy } from "../../protocol/policyEncoding.ts";
import { policyHash } from "../../protocol/policyHash.ts";

describe("The example consumers", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const deployed = await identity.deployRegistry();
    const registry = await ethers.getContractAt("SignerRegistry", String(deployed.target));
    const [owner, alice, bob] = await ethers.getSigners();
    if (!owner || !alice || !bob) throw new Error("The node has too few accounts.");
    const token = await ethers.deployContract("ExampleToken");
    const deploy = {
      Airdrop: () => ethers.deployContract("Airdrop", [registry.target]),
      IncentiveProgram: () => ethers.deployContract("IncentiveProgram", [registry.target]),
      MembershipPass: () => ethers.deployContract("MembershipPass", [registry.target]),
      VerifiedVault: () => ethers.deployContract("VerifiedVault", [registry.target, token.target]),
      Ballot: () => ethers.deployContract("Ballot", [registry.target]),
    };
    async function mint(consumer: Addressable, user: Addressable, name: string) {
      const verification = await identity.mint({
        consumer: await consumer.getAddress(),
        user: await user.getAddress(),
        identity: name,
      });
      return [verification.identityHash, verification.expiration, verification.signature] as const;
    }
    return { ethers, registry, token, deploy, mint, owner, alice, bob };
  }

  const policies = {
    Airdrop: { provider: "microblog", conditions: ["followers gt 1000"] },
    IncentiveProgram: { provider: "microblog", conditions: ["followers gt 1000"] },
    MembershipPass: { provider: "exchange", conditions: ["exchange_membership_active eq true"] },
    VerifiedVault: { provider: "photo_social", conditions: ["followers_count gte 100"] },
    Ballot: { provider: "short_video", conditions: ["follower_count gte 100", "video_count gt 0"] },
  } as const;

  for (const name of Object.keys(policies) as (keyof typeof policies)[]) {
    it(`declare a policy that the service supports: ${name}`, async () => {
      const { deploy, registry } = await fixture();
      const consumer = await deploy[name]();
      const policy = {
        provider: await consumer.getFunction("provider").staticCall(),
        conditions: (await consumer.conditions()).map(({ name, op, value }) => ({ name, op, value })),
      };
      expect(findPolicyProblem(policy)).to.equal(undefined);
      expect({
        provider: policy.provider,
        conditions: policy.conditions.map((c) => `${c.name} ${c.op} ${c.value}`),
      }).to.deep.equal(policies[name]);
      expect(await registry.policyHash(consumer.target)).to.equal(
        policyHash({
          chainId: 84532,
          consumer: String(consumer.target),
          encoded: encodePolicy(policy),
        }),
      );
    });
  }

  it("pay 100 tokens to a person once, whatever the wallet", async () => {
    const { ethers, deploy, mint, alice, bob } = await fixture();
    const airdrop = await deploy.Airdrop();
    const verification = await mint(airdrop, alice, "alice");
    const first = airdrop.connect(alice).claim(...verification);
    await expect(first).to.changeTokenBalance(ethers, airdrop, alice, 100n * 10n ** 18n);
    const another = airdrop.connect(bob).claim(...(await mint(airdrop, bob, "alice")));
    await expect(another)
      .to.be.revertedWithCustomError(airdrop, "IdentityAlreadyUsed")
      .withArgs(verification[0]);
  });

  it("enrol a person once, whatever the wallet", async () => {
    const { deploy, mint, alice, bob } = await fixture();
    const program = await deploy.IncentiveProgram();
    const verification = await mint(program, alice, "alice");
    await expect(program.connect(alice).enroll(...verification))
      .to.emit(program, "Enrolled")
      .withArgs(alice.address, verification[0]);
    const another = program.connect(bob).enroll(...(await mint(program, bob, "alice")));
    await expect(another).to.be.revertedWithCustomError(program, "AlreadyEnrolled").withArgs();
  });

  it("mint a token to a person once", async () => {
    const { ethers, deploy, mint, alice, bob } = await fixture();
    const pass = await deploy.MembershipPass();
    const verification = await mint(pass, alice, "alice");
    await expect(pass.connect(alice).mint(...verification)).to.changeTokenBalance(ethers, pass, alice, 1n);
    const another = pass.connect(bob).mint(...(await mint(pass, bob, "alice")));
    await expect(another)
      .to.be.revertedWithCustomError(pass, "IdentityAlreadyUsed")
      .withArgs(verification[0]);
  });

  it("open a deposit for a person once, who may add to it and take it back", async () => {
    const { ethers, deploy, mint, token, alice } = await fixture();
    const vault = await deploy.VerifiedVault();
    await token.mint(alice.address, 100n);
    await token.connect(alice).approve(vault.target, 100n);
    const own = vault.connect(alice);
    await expect(own.deposit(40n, ...(await mint(vault, alice, "alice")))).to.changeTokenBalances(
      ethers,
      token,
      [alice, vault],
      [-40n, 40n],
    );
    await expect(own.depositMore(60n)).to.changeTokenBalance(ethers, token, vault, 60n);
    await expect(own.withdraw(100n)).to.changeTokenBalances(ethers, token, [alice, vault], [100n, -100n]);
  });

  it("count a person's vote once, and want it proven since the ballot opened", async () => {
    const { ethers, deploy, mint, alice, bob } = await fixture();
    const ballot = await deploy.Ballot();
    await ballot.connect(alice).vote(0n, true, ...(await mint(ballot, alice, "alice")));
    const again = ballot.connect(bob).vote(0n, false, ...(await mint(ballot, bob, "alice")));
    await expect(again).to.be.revertedWithCustomError(ballot, "AlreadyVoted").withArgs();
    expect([await ballot.yes(0n), await ballot.no(0n)]).to.deep.equal([1n, 0n]);
    const opened = await ballot.deploymentTransaction()?.wait();
    expect(await ballot.cutoffBlock()).to.equal(opened?.blockNumber);
    expect(await ethers.provider.getBlockNumber()).to.be.above(Number(opened?.blockNumber));
  });

  it("refuse with the registry's own words", async () => {
    const { deploy, mint, registry, owner, alice, bob } = await fixture();
    const program = await deploy.IncentiveProgram();
    const [identityHash, expiration, signature] = await mint(program, alice, "alice");

    const expired = program.connect(alice).enroll(identityHash, 1, signature);
    await expect(expired).to.be.revertedWithCustomError(registry, "VerificationExpired").withArgs(1);
    const malformed = program.connect(alice).enroll(identityHash, expiration, "0x1234");
    await expect(malformed).to.be.revertedWithCustomError(registry, "InvalidSignature").withArgs();
    const stolen = program.connect(bob).enroll(identityHash, expiration, signature);
    await expect(stolen).to.be.revertedWithCustomError(registry, "NotSigner");

    const [signer] = await registry.signers();
    await registry.connect(owner).removeSigner(signer ?? "");
    const removed = program.connect(alice).enroll(identityHash, expiration, signature);
    await expect(removed).to.be.revertedWithCustomError(registry, "NotSigner").withArgs(signer);
  });

  it("answer an account that asks the registry itself that it has no policy", async () => {
    const { registry, alice } = await fixture();
    const asked = registry
      .connect(alice)
      .verifyVerification(alice.address, encodeBytes32String(""), 4_102_444_800, "0x");
    await expect(asked).to.be.revertedWithCustomError(registry, "PolicyNotFound").withArgs(alice.address);
  });
});
