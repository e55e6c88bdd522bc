import { expect } from "chai";
import { artifacts, network } from "hardhat";
import { checkVerification } from "../../tasks/internal/consumer/check.ts";
import { mintVerification } from "../../tasks/internal/consumer/mint.ts";
import { submitVerification } from "../../tasks/internal/consumer/submit.ts";
import { deployConsumers } from "../fixtures/chain/consumer.ts";
import { changeNode, withoutPending } from "../fixtures/chain/withoutPending.ts";
import { rejection } from "../fixtures/rejection.ts";

async function fixture() {
  const { provider: node } = await network.create("identityLocal");
  const { registry, user, consumers } = await deployConsumers(node, "IncentiveProgram");
  return { node, registry, user, consumer: consumers[0] ?? "" };
}

describe("mintVerification", () => {
  for (const [how, instead] of Object.entries(withoutPending)) {
    it(`mints what is valid for five minutes on a node that ${how}`, async () => {
      const { node, registry, user, consumer } = await fixture();
      // The chain's clock is ahead of the wall clock.
      await node.request({ method: "evm_increaseTime", params: [86_400] });
      await node.request({ method: "evm_mine" });
      const latest = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
      const changed = changeNode(node, instead);
      const { verification } = await mintVerification(changed, { consumer, user, identity: "ann" });
      expect(verification.expiration).to.equal(Number(Object(latest).timestamp) + 300);
      expect(await checkVerification(node, { ...verification, consumer, user, registry })).to.deep.equal({
        valid: true,
      });
    });
  }
});

describe("submitVerification", () => {
  const more = { args: {}, value: 0n, chainId: 84532, entryPoint: "enroll" };

  it("tries the call out on what is pending, so that a person who is being enrolled pays for no refusal", async () => {
    const { node, user, consumer } = await fixture();
    const [, laptop = ""] = (await node.request({ method: "eth_accounts" })) as string[];
    const submit = async (wallet: string) => {
      const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
      const submission = { ...more, consumer, wallet, verification, readContracts: async () => [] };
      return await submitVerification(node, submission);
    };
    await node.request({ method: "evm_setAutomine", params: [false] });
    const first = submit(user);
    let pending: unknown;
    while (Number(pending ?? 0) < 1) {
      pending = await node.request({ method: "eth_getBlockTransactionCountByNumber", params: ["pending"] });
    }
    expect(await submit(laptop)).to.deep.equal({
      revert: {
        text: "AlreadyEnrolled()",
        meaning: "This person has enrolled already, from this wallet or another one.",
      },
    });
    await node.request({ method: "evm_mine" });
    expect(await first).to.have.nested.property("receipt.status", "0x1");
  });

  it("guesses no reason for a revert without one of a contract that it knows", async () => {
    const { node, user: wallet, consumer } = await fixture();
    const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
    // Reverts, whatever it is asked.
    const deployedBytecode = "0x60006000fd";
    await node.request({ method: "hardhat_setCode", params: [consumer, deployedBytecode] });
    const { abi } = await artifacts.readArtifact("IncentiveProgram");
    const submission = { ...more, consumer, wallet, verification };
    const known = [{ contractName: "Known", abi, deployedBytecode }];
    expect(await submitVerification(node, { ...submission, readContracts: async () => known })).to.deep.equal(
      {
        revert: { text: "a revert without a reason", meaning: undefined },
      },
    );
    expect(await submitVerification(node, { ...submission, readContracts: async () => [] })).to.deep.equal({
      revert: {
        text: "a revert without a reason",
        meaning: `${consumer} may have no function enroll(bytes32 identityHash, uint40 expiration, bytes signature).`,
      },
    });
  });

  it("passes on what the node says where it cannot try the call out, and sends nothing", async () => {
    const { node, user: wallet, consumer } = await fixture();
    const asked: string[] = [];
    const changed = changeNode(node, ({ method }) => {
      asked.push(method);
      return method === "eth_call" ? { error: { code: -32_000, message: "The node is down." } } : undefined;
    });
    const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
    const submission = { ...more, consumer, wallet, verification, readContracts: async () => [] };
    expect((await rejection(submitVerification(changed, submission))).message).to.equal("The node is down.");
    expect(asked).to.deep.equal(["eth_getCode", "eth_call"]);
  });
});

describe("checkVerification", () => {
  const verification = {
    identityHash: `0x${"11".repeat(32)}`,
    expiration: 1_900_000_000,
    signature: `0x${"22".repeat(65)}`,
  } as const;

  it("does not take an address without a contract for a registry that accepts", async () => {
    const { node, user, consumer } = await fixture();
    const input = { ...verification, consumer, user, registry: user };
    expect((await rejection(checkVerification(node, input))).message).to.equal(
      `There is no contract at ${user} on this chain; name the registry.`,
    );
  });

  it("says that another contract is no registry", async () => {
    const { node, user, consumer } = await fixture();
    expect(
      await checkVerification(node, { ...verification, consumer, user, registry: consumer }),
    ).to.deep.equal({
      valid: false,
      revert: "a revert without a reason",
      reason: `${consumer} is not a registry, or has another version.`,
    });
  });

  it("says that a consumer answers no policy", async () => {
    const { node, user, registry } = await fixture();
    const result = await checkVerification(node, { ...verification, consumer: registry, user, registry });
    expect(result).to.deep.equal({
      valid: false,
      revert: `PolicyNotFound(${registry})`,
      reason: `The contract ${registry} does not answer provider() and conditions().`,
    });
  });
});
