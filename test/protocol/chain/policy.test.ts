import { expect } from "chai";
import { AbiCoder, id } from "ethers";
import { network } from "hardhat";
import { PolicyError, readPolicy } from "../../../packages/protocol/chain/policy.ts";
import { encodePolicy } from "../../../packages/protocol/policyEncoding.ts";
import { rejection } from "../../fixtures/rejection.ts";

const abi = AbiCoder.defaultAbiCoder();
const condition = { name: "followers", op: "gt", value: "1000" };
const policy = { provider: "microblog", conditions: [condition] };
const encoded = encodePolicy(policy);
const uint = (value: bigint | number) => abi.encode(["uint256"], [value]);

interface Answer {
  readonly data: string;
  readonly reverts?: boolean;
}

describe("readPolicy", () => {
  async function fixture(answers: Record<string, Answer | undefined> = {}) {
    const { provider, ethers } = await network.create("identityLocal");
    const consumer = await ethers.deployContract("ScriptedConsumer");
    const script: Record<string, Answer | undefined> = {
      provider: { data: encoded.provider },
      conditions: { data: encoded.conditions },
      cutoffBlock: { data: uint(0) },
      ...answers,
    };
    for (const [getter, answer] of Object.entries(script)) {
      if (answer === undefined) continue;
      const selector = id(`${getter}()`).slice(0, 10);
      await consumer.getFunction("script")(selector, answer.reverts ?? false, answer.data);
    }
    return { provider, ethers, consumer: await consumer.getAddress() };
  }

  async function refusal(answers: Record<string, Answer | undefined>): Promise<string> {
    const { provider, consumer } = await fixture(answers);
    const error = await rejection(readPolicy(provider, consumer));
    if (!(error instanceof PolicyError)) throw error;
    return `${error.code}: ${error.message}`;
  }

  it("reads the policy that the contract declares", async () => {
    const { provider, consumer } = await fixture({ cutoffBlock: { data: uint(2n ** 256n - 1n) } });
    expect(await readPolicy(provider, consumer)).to.deep.equal({
      encoded,
      policy,
      cutoffBlock: 2n ** 256n - 1n,
    });
  });

  it("reads the largest allowed policy, even from a contract that builds it byte by byte", async () => {
    const { provider, ethers, identity } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const consumer = await ethers.deployContract("LargestConsumer", [registry.target]);
    const { policy } = await readPolicy(provider, await consumer.getAddress());
    expect(policy.conditions).to.have.length(32);
    expect(policy.conditions[31]).to.deep.equal({ name: "username", op: "eq", value: "f".repeat(256) });
  });

  it("reads a cutoffBlock that is missing or empty as 0", async () => {
    for (const cutoffBlock of [undefined, { data: "0x" }, { data: "0x", reverts: true }]) {
      const { provider, consumer } = await fixture({ cutoffBlock });
      expect((await readPolicy(provider, consumer)).cutoffBlock).to.equal(0n);
    }
  });

  it("reports an address without code", async () => {
    const { provider } = await fixture();
    const error = await rejection(readPolicy(provider, `0x${"12".repeat(20)}`));
    expect(error).to.be.instanceOf(PolicyError).with.property("code", "contract_not_found");
    expect(error.message).to.include("There is no contract");
  });

  const failure = { data: "0x08c379a0", reverts: true };
  for (const [name, answers, says = ""] of [
    ["provider() reverts", { provider: failure }],
    ["provider() answers a number", { provider: { data: uint(7) } }],
    [
      "provider() is not UTF-8",
      { provider: { data: abi.encode(["bytes"], ["0xc328"]) } },
      "has no valid policy: provider() and conditions() return something else",
    ],
    ["conditions() is missing", { conditions: undefined }],
    ["conditions() answers garbage", { conditions: { data: `0x${"ff".repeat(640)}` } }],
    ["conditions() answers a lot of garbage", { conditions: { data: `0x${"ff".repeat(24_000)}` } }],
    ["cutoffBlock() reverts with data", { cutoffBlock: failure }, "needs the function in a facet"],
    [
      "cutoffBlock() reverts with a word",
      { cutoffBlock: { data: uint(1), reverts: true } },
      "fails to answer cutoffBlock(): it must return a block's number, or 0 for none",
    ],
    ["cutoffBlock() answers a short word", { cutoffBlock: { data: "0x01" } }],
  ] as const) {
    it(`answers contract_not_found when ${name}${says ? ", and the way out" : ""}`, async () => {
      expect(await refusal(answers))
        .to.match(/^contract_not_found: /)
        .and.include(says);
    });
  }

  const conditions = (list: object[]) => ({
    conditions: { data: encodePolicy({ ...policy, conditions: list as [] }).conditions },
  });
  for (const [name, answers, word] of [
    ["has no condition", conditions([]), "no condition"],
    [
      "is not canonically encoded",
      { provider: { data: `${encoded.provider}${"00".repeat(32)}` } },
      "canonical",
    ],
  ] as const) {
    it(`answers invalid_policy when the policy ${name}`, async () => {
      expect(await refusal(answers))
        .to.match(/^invalid_policy: /)
        .and.include(word);
    });
  }

  for (const [name, code] of [
    ["EndlessGas", "contract_not_found"],
    ["EndlessData", "invalid_policy"],
    ["RevertBomb", "contract_not_found"],
  ] as const) {
    it(`answers ${code} for ${name}`, async () => {
      const { provider, ethers } = await fixture();
      const hostile = await ethers.deployContract(name);
      const error = await rejection(readPolicy(provider, await hostile.getAddress()));
      expect(error, error.stack).to.be.instanceOf(PolicyError).with.property("code", code);
    });
  }

  it("answers contract_not_found if only cutoffBlock() burns all gas", async () => {
    const { provider, ethers } = await fixture();
    const hostile = await ethers.deployContract("EndlessCutoff");
    const error = await rejection(readPolicy(provider, await hostile.getAddress()));
    expect(error).to.be.instanceOf(PolicyError).with.property("code", "contract_not_found");
    expect(error.message).to.include("cutoffBlock()");
  });
});
