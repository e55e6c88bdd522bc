import { expect } from "chai";
import { network } from "hardhat";
import { findPolicyProblem } from "../../packages/protocol/policy.ts";
import { encodePolicy } from "../../packages/protocol/policyEncoding.ts";
import { policyHash } from "../../packages/protocol/protocolHashes.ts";
import { readSnippets } from "../fixtures/markdown.ts";

describe("The example consumers", () => {
  async function fixture() {
    const { ethers, identity } = await network.create("identityLocal");
    const deployed = await identity.deployRegistry();
    const registry = await ethers.getContractAt("SignerRegistry", String(deployed.target));
    const token = await ethers.deployContract("ExampleToken");
    const deploy = {
      Airdrop: () => ethers.deployContract("Airdrop", [registry.target]),
      IncentiveProgram: () => ethers.deployContract("IncentiveProgram", [registry.target]),
      MembershipPass: () => ethers.deployContract("MembershipPass", [registry.target]),
      VerifiedVault: () => ethers.deployContract("VerifiedVault", [registry.target, token.target]),
      Ballot: () => ethers.deployContract("Ballot", [registry.target]),
      HumanBackedAgents: () => ethers.deployContract("HumanBackedAgents", [registry.target]),
      VerifiedPolicy: () => ethers.deployContract("VerifiedPolicy", [registry.target]),
    };
    return { registry, deploy };
  }

  const policies = {
    Airdrop: { provider: "microblog", conditions: ["followers gt 1000"] },
    IncentiveProgram: { provider: "microblog", conditions: ["followers gt 1000"] },
    MembershipPass: { provider: "exchange", conditions: ["exchange_membership_active eq true"] },
    VerifiedVault: { provider: "photo_social", conditions: ["followers_count gte 100"] },
    Ballot: { provider: "short_video", conditions: ["follower_count gte 100", "video_count gt 0"] },
    HumanBackedAgents: { provider: "microblog", conditions: ["verified eq true"] },
    VerifiedPolicy: { provider: "microblog", conditions: ["followers gt 1000"] },
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

  it("include a policy that takes a verification encoded as docs/contracts.md says, once per person", async () => {
    const { ethers, identity } = await network.create("identityLocal");
    const policy = await ethers.deployContract("VerifiedPolicy", [await identity.deployRegistry()]);
    // MACI asks for its caller; here, the first wallet asks for others.
    const [maci, phone, laptop] = await ethers.getSigners();
    await policy.setTarget(maci?.address ?? "");
    const snippet = readSnippets("docs/contracts.md").find(({ text }) => text.includes("maci.signUp"));
    const body = snippet?.text.replace(/^import .*\n/m, "") ?? "";
    const signUp = async (wallet = "") => {
      const verification = await identity.mint({ consumer: policy, user: wallet, identity: "alice" });
      const target = { signUp: (_: unknown, evidence: string) => policy.enforce(wallet, evidence) };
      const run = new Function(
        "AbiCoder",
        "verification",
        "maci",
        "publicKey",
        `return (async () => {${body}})()`,
      );
      await run(ethers.AbiCoder, verification, target, {});
    };
    await signUp(phone?.address);
    await expect(signUp(laptop?.address)).to.be.revertedWithCustomError(policy, "IdentityAlreadyUsed");
    expect(await policy.queryFilter(policy.filters.Enforced())).to.have.length(1);
  });
});
