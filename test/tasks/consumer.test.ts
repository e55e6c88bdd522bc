import { expect } from "chai";
import { Interface, zeroPadValue } from "ethers";
import { artifacts, network } from "hardhat";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { readAllowlist } from "../../packages/registry/internal/chain/readAllowlist.ts";
import { planChange } from "../../packages/registry/internal/plan/planChange.ts";
import { checkVerification } from "../../tasks/internal/consumer/check.ts";
import { isCodeOf } from "../../tasks/internal/consumer/compiledContract.ts";
import { slots } from "../../tasks/internal/consumer/erc1967.ts";
import { mintVerification } from "../../tasks/internal/consumer/mint.ts";
import { submitVerification } from "../../tasks/internal/consumer/submit.ts";
import { changeNode } from "../fixtures/chain/changeNode.ts";
import { deployConsumers } from "../fixtures/chain/consumer.ts";
import { asksForPending, pendingRefusals } from "../fixtures/chain/pendingRefusals.ts";
import { compiledProxies, deployProxy, kindsOfProxies } from "../fixtures/chain/proxyContracts.ts";
import { rejection } from "../fixtures/rejection.ts";

async function fixture(override: object = {}) {
  const { provider: node } = await network.create({ network: "identityLocal", override });
  const { registry, user, consumers } = await deployConsumers(node, "IncentiveProgram");
  return { node, registry, user, consumer: consumers[0] ?? "" };
}

/** A submission without arguments, by the entry point of a contract that no artifact describes. */
const more = {
  args: {},
  value: 0n,
  chainId: 84532,
  entryPoint: "enroll",
  readContracts: async () => [],
};

describe("submitVerification", () => {
  it("tries the call on the pending block, so nobody pays for a refusal while an enrolment is pending", async () => {
    const { node, user, consumer } = await fixture();
    const [, laptop = ""] = (await node.request({ method: "eth_accounts" })) as string[];
    const submit = async (wallet: string) => {
      const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
      const submission = { ...more, consumer, wallet, verification };
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
        meaning: "This person has already enrolled, from this wallet or another one.",
      },
    });
    await node.request({ method: "evm_mine" });
    expect(await first).to.have.nested.property("receipt.status", "0x1");
  });

  for (const [who, error] of Object.entries(pendingRefusals)) {
    it(`tries the call on the latest block, and sends it, if the node refuses pending as ${who}`, async () => {
      const { node: near, user, consumer } = await fixture();
      const node = changeNode(near, (call) => (asksForPending(call) ? { error } : undefined));
      const submit = async () => {
        const { verification } = await mintVerification(near, { consumer, user, identity: "ann" });
        return await submitVerification(node, { ...more, consumer, wallet: user, verification });
      };
      expect(await submit()).to.have.nested.property("receipt.status", "0x1");
      expect(await submit()).to.have.nested.property("revert.text", "AlreadyEnrolled()");
    });
  }

  it("makes up no reason for a revert that has none", async () => {
    const { node, user: wallet, consumer } = await fixture();
    const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
    // Reverts, whatever it is asked, also as the beacon that it names itself.
    const deployedBytecode = "0x60006000fd";
    await node.request({ method: "hardhat_setCode", params: [consumer, deployedBytecode] });
    const beacon = [consumer, slots.beacon, zeroPadValue(consumer, 32)];
    await node.request({ method: "hardhat_setStorageAt", params: beacon });
    const { abi } = await artifacts.readArtifact("IncentiveProgram");
    const submission = { ...more, consumer, wallet, verification };
    const known = [{ contractName: "Known", abi, deployedBytecode }];
    const named = await submitVerification(node, { ...submission, readContracts: async () => known });
    expect(named).to.deep.equal({ revert: { text: "a revert without a reason", meaning: undefined } });
    expect(await submitVerification(node, submission)).to.deep.equal({
      revert: {
        text: "a revert without a reason",
        meaning:
          `${consumer} may have no function enroll(bytes32 identityHash, uint40 expiration, bytes signature). ` +
          "The project has compiled no such contract: compile it, or give the function's full signature.",
      },
    });
  });

  for (const kind of kindsOfProxies) {
    it(`calls a consumer behind ${kind} by the entry points of its implementation`, async () => {
      const { provider: node } = await network.create("identityLocal");
      const { consumers, user } = await deployConsumers(node, "Ballot");
      const consumer = await deployProxy(node, kind, consumers[0] ?? "");
      // A project that compiles the proxy knows its code, too.
      const known = await Promise.all(
        ["Ballot", "IncentiveProgram"].map((name) => artifacts.readArtifact(name)),
      );
      const readContracts = async () => [...compiledProxies, ...known];
      const { verification } = await mintVerification(node, { consumer, user, identity: "ann" });
      const submission = { ...more, consumer, wallet: user, verification, readContracts };
      const submit = (entryPoint: string, args: object) =>
        submitVerification(node, { ...submission, entryPoint, args: { ...args } });
      expect(await rejection(submit("claim", {}))).to.have.property(
        "message",
        "Ballot has no function claim; it has vote(uint256 proposal, bool support, bytes32 identityHash, uint40 expiration, bytes signature).",
      );
      const signature =
        "vote(uint256 proposal, bool support, bytes32 identityHash, uint40 expiration, bytes signature)";
      const open = new Interface(["function propose(string)"]).encodeFunctionData("propose", ["Yes?"]);
      await node.request({
        method: "eth_sendTransaction",
        params: [{ from: user, to: consumer, data: open }],
      });
      expect(await submit("vote", { proposal: 0, support: true })).to.have.nested.property(
        "receipt.status",
        "0x1",
      );
      expect(await submit(signature, { proposal: 0, support: true })).to.have.nested.property(
        "revert.text",
        "AlreadyVoted()",
      );
    });
  }

  it("shows the node's error and sends nothing if the call cannot be tried", async () => {
    const { node, user: wallet, consumer } = await fixture();
    const asked: string[] = [];
    const changed = changeNode(node, ({ method }) => {
      asked.push(method);
      return method === "eth_call" ? { error: { code: -32_000, message: "The node is down." } } : undefined;
    });
    const { verification } = await mintVerification(node, { consumer, user: wallet, identity: "ann" });
    // A beacon is asked by a call, too.
    for (const at of [consumer, await deployProxy(node, "a beacon proxy", consumer)]) {
      const submission = { ...more, consumer: at, wallet, verification };
      const { message } = await rejection(submitVerification(changed, submission));
      expect(message).to.equal("The node is down.");
      const calls = asked.splice(0).filter((method) => !method.startsWith("eth_get"));
      expect(calls).to.deep.equal(["eth_call"]);
    }
  });
});

describe("The code of a contract that links a library", () => {
  const library = "ab".repeat(20);
  const place = `__$${"1f".repeat(17)}$__`;
  const linked = {
    contractName: "Linked",
    abi: [],
    deployedBytecode: `0x73${place}00`,
    deployedLinkReferences: { "project/Words.sol": { Words: [{ start: 1, length: 20 }] } },
  };

  it("is recognized with any library address, and not confused with another contract's", () => {
    expect(isCodeOf(`0x73${library}00`, linked)).to.equal(true);
    expect(isCodeOf(`0x73${library}01`, linked)).to.equal(false);
    for (const other of ["0x", `0x73${library}`, `0x73${library}0000`])
      expect(isCodeOf(other, linked)).to.equal(false);
    // No code is no contract's, and an abstract contract has none.
    expect(isCodeOf("0x", { contractName: "Abstract", abi: [], deployedBytecode: "0x" })).to.equal(false);
  });
});

describe("checkVerification", () => {
  const verification = {
    identityHash: `0x${"11".repeat(32)}`,
    expiration: 1_900_000_000,
    signature: `0x${"22".repeat(65)}`,
  } as const;

  it("says that another address is no registry, even if it accepts every call", async () => {
    const { node, user, consumer } = await fixture();
    const silent = `0x${"51".repeat(20)}`;
    await node.request({ method: "hardhat_setCode", params: [silent, "0x00"] });
    for (const [registry, problem] of [
      [consumer, `The contract ${consumer} is not a SignerRegistry.`],
      [silent, `The contract ${silent} is not a SignerRegistry.`],
      [user, `There is no contract at ${user} on this chain.`],
    ] as const) {
      const input = { ...verification, consumer, user, registry };
      const { message } = await rejection(checkVerification(node, input));
      expect(message).to.equal(`${problem} Name the registry.`);
    }
  });

  it("says that a registry has another version if its words are nobody's", async () => {
    const { node, user, registry, consumer } = await fixture();
    const changed = changeNode(node, ({ method, params: [call] = [] }) =>
      method === "eth_estimateGas" || (method === "eth_call" && Object(call).from === consumer)
        ? { result: "0x12345678" }
        : undefined,
    );
    const result = await checkVerification(changed, { ...verification, consumer, user, registry });
    const reason = `${registry} has another version.`;
    expect(result).to.deep.equal({ valid: false, revert: "0x12345678", reason });
  });

  it("reports a consumer that answers no policy", async () => {
    const { node, user, registry } = await fixture();
    const result = await checkVerification(node, { ...verification, consumer: registry, user, registry });
    expect(result).to.deep.equal({
      valid: false,
      revert: `PolicyNotFound(${registry})`,
      reason: `The contract ${registry} does not answer provider() and conditions().`,
    });
  });
});

describe("A node that answers the revert of a call as a result", () => {
  const expired = { flaw: "expired" } as const;

  it("makes no refused verification valid, and none that is valid refused", async () => {
    const { node, registry, user, consumer } = await fixture({ throwOnCallFailures: false });
    const asked = { consumer, user, identity: "ann" };
    const check = async ({ verification }: Awaited<ReturnType<typeof mintVerification>>, changes = {}) =>
      await checkVerification(node, { ...verification, consumer, user, registry, ...changes });
    const good = await mintVerification(node, asked);
    expect(await check(good)).to.deep.equal({ valid: true });
    for (const [refused, revert] of [
      [await check(await mintVerification(node, { ...asked, ...expired })), /^VerificationExpired\(\d+\)$/],
      [await check(good, { user: registry }), /^NotSigner\(0x/],
      [await check(good, { signature: "0x1234" }), /^InvalidSignature\(\)$/],
      [await check(good, { consumer: user }), /^PolicyNotFound\(0x/],
    ] as const) {
      expect(refused.valid).to.equal(false);
      expect(refused.revert).to.match(revert);
    }
  });

  it("sends no refused call, and shows the registry's refusal", async () => {
    const { node, registry, user: wallet, consumer } = await fixture({ throwOnCallFailures: false });
    const { verification } = await mintVerification(node, {
      consumer,
      user: wallet,
      identity: "ann",
      ...expired,
    });
    const before = await node.request({ method: "eth_blockNumber" });
    const result = await submitVerification(node, { ...more, consumer, wallet, verification });
    expect(result)
      .to.have.nested.property("revert.text")
      .that.matches(/^VerificationExpired\(\d+\)$/);
    expect(await node.request({ method: "eth_blockNumber" })).to.equal(before);

    const state = { ...(await readAllowlist(node, registry)), owner: consumer };
    const change = { kind: "add", signer: wallet, yes: true } as const;
    const known = { isLocal: async () => true, service: undefined };
    expect((await rejection(planChange(node, state, change, known))).message).to.include(
      `The registry ${registry} refuses addSigner: OwnableUnauthorizedAccount(${consumer})`,
    );
  });

  it("reports the hash of a transaction that reverts although the call succeeded", async () => {
    const { node, user: wallet, consumer } = await fixture({ throwOnTransactionFailures: false });
    const { verification } = await mintVerification(node, {
      consumer,
      user: wallet,
      identity: "ann",
      ...expired,
    });
    // It simulates nothing, and sends with a gas limit, so that nothing is estimated either.
    const blind: typeof node = Object.create(node, {
      request: {
        value: async ({ method, params }: { method: string; params: [object] }) => {
          if (method === "eth_estimateGas" || method === "eth_call") return "0x";
          const isSent = method === "eth_sendTransaction";
          return await node.request({ method, params: isSent ? [{ ...params[0], gas: "0x30000" }] : params });
        },
      },
    });
    const error = await rejection(submitVerification(blind, { ...more, consumer, wallet, verification }));
    expect(error).to.be.instanceOf(InvalidInputError);
    expect(error.message).to.match(/^The transaction was reverted\. It was sent as 0x[0-9a-f]{64}\.$/);
  });
});
