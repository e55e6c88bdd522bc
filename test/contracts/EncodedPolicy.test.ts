import { expect } from "chai";
import fc from "fast-check";
import { network } from "hardhat";
import { readPolicy } from "../../chain/policy.ts";
import { encodePolicy } from "../../protocol/policyEncoding.ts";
import { policyHash } from "../../protocol/policyHash.ts";

describe("A policy that is encoded once", () => {
  async function fixture() {
    const { ethers, identity, provider: node } = await network.create("identityLocal");
    const { address } = await identity.deployRegistry();
    const registry = await ethers.getContractAt("SignerRegistry", address);
    const [, alice] = await ethers.getSigners();
    if (!alice) throw new Error("The node has too few accounts.");
    return { ethers, identity, node, registry, alice };
  }

  it("is read by the service, and hashed by the registry, as a plain one, whatever it is", async () => {
    const { ethers, node, registry } = await fixture();
    const ops = fc.constantFrom("eq", "gt", "gte", "lt", "lte");
    const count = fc.bigInt({ min: 0n, max: 10n ** 40n });
    const condition = fc.oneof(
      fc.record({ name: fc.constant("followers_count"), op: ops, value: count.map(String) }),
      fc.record({
        name: fc.constant("username"),
        op: fc.constant("eq"),
        value: fc.string({ unit: "grapheme", maxLength: 40 }),
      }),
    );
    const conditions = fc.array(condition, { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(conditions, async (conditions) => {
        const policy = { provider: "photo_social", conditions };
        const consumer = String(
          (
            await ethers.deployContract("EncodedChosenConsumer", [
              registry.target,
              policy.provider,
              conditions,
            ])
          ).target,
        );
        const found = await readPolicy(node, consumer);
        expect(found.policy).to.deep.equal(policy);
        expect(found.encoded).to.deep.equal(encodePolicy(policy));
        expect(await registry.policyHash(consumer)).to.equal(
          policyHash({ chainId: 84532n, consumer, encoded: encodePolicy(policy) }),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("admits whom the service gave a verification", async () => {
    const { ethers, identity, registry, alice } = await fixture();
    const { target } = await ethers.deployContract("EncodedConsumer4", [registry.target]);
    const traits = { followers: 1200, verified: true, verified_type: "blue" };
    await using service = await identity.startService({
      registry: registry.target,
      credentials: { alice: { provider: "microblog", traits, wallets: [alice.address] } },
    });
    const { args } = await service.request({ consumer: target, user: alice.address });
    const consumer = await ethers.getContractAt("EncodedConsumer4", String(target));
    await consumer.connect(alice).enroll(...args);
    expect(await consumer.enrolled(args[0])).to.equal(true);
  });
});
