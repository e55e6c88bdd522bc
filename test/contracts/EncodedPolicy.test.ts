import { readFileSync } from "node:fs";
import { expect } from "chai";
import { ContractFactory } from "ethers";
import fc from "fast-check";
import { network } from "hardhat";
import { readPolicy } from "../../chain/policy.ts";
import { encodePolicy } from "../../protocol/policyEncoding.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { loadCompiler } from "../fixtures/compile.ts";

/** Compiles the minimal consumers otherwise than the project does. */
function compileConsumers(
  compiler: Parameters<typeof loadCompiler>[0],
  settings: object,
): Record<string, { evm: { bytecode: { object: string } } }> {
  const root = new URL("../../", import.meta.url);
  const file = "test/fixtures/contracts/MinimalConsumers.sol";
  const read = (path: string) => readFileSync(new URL(path, root), "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content: read(file) } },
    settings: { ...settings, outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  };
  const output = loadCompiler(compiler).compile(JSON.stringify(input), {
    import: (path) => ({ contents: read(path.startsWith("@") ? `node_modules/${path}` : path) }),
  });
  return JSON.parse(output).contracts[file];
}

describe("A policy that is encoded once", () => {
  async function fixture() {
    const { ethers, identity, provider: node } = await network.create("identityLocal");
    const { address } = await identity.deployRegistry();
    const registry = await ethers.getContractAt("SignerRegistry", address);
    const [owner, alice] = await ethers.getSigners();
    if (!owner || !alice) throw new Error("The node has too few accounts.");
    return { ethers, identity, node, registry, owner, alice };
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

  for (const [pipeline, name, settings] of [
    ["solc 0.8.28 without optimizer", "solc-0.8.28", {}],
    ["solc 0.8.28 with it", "solc-0.8.28", { optimizer: { enabled: true } }],
    ["solc 0.8.37 by way of its intermediate language, without optimizer", "solc", { viaIR: true }],
  ] as const) {
    it(`is answered as plain getters answer it, compiled by ${pipeline}`, async () => {
      const { ethers, node, registry, owner } = await fixture();
      const compiled = compileConsumers(name, settings);
      for (const count of [1, 2, 4]) {
        const bytecode = compiled[`EncodedConsumer${count}`]?.evm.bytecode.object ?? "";
        const encoded = new ContractFactory(["constructor(address)"], bytecode, owner);
        const deployed = await (await encoded.deploy(registry.target)).getAddress();
        const plain = await ethers.deployContract(`MinimalConsumer${count}`, [registry.target]);
        const found = await readPolicy(node, deployed);
        expect(found).to.deep.equal(await readPolicy(node, String(plain.target)));
      }
    }).timeout(60_000);
  }

  it("admits whom the service gave a verification", async () => {
    const { ethers, identity, registry, alice } = await fixture();
    const target = String((await ethers.deployContract("EncodedConsumer4", [registry.target])).target);
    const traits = { followers: 1200, verified: true, verified_type: "blue" };
    await using service = await identity.startService({
      registry: String(registry.target),
      credentials: { alice: { provider: "microblog", traits, wallets: [alice.address] } },
    });
    const { args } = await service.request({ consumer: target, user: alice.address });
    const consumer = await ethers.getContractAt("EncodedConsumer4", target);
    await consumer.connect(alice).enroll(...args);
    expect(await consumer.enrolled(args[0])).to.equal(true);
  });
});
