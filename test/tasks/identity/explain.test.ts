import { expect } from "chai";
import { type BaseContract, concat, Interface, id, zeroPadValue } from "ethers";
import { network } from "hardhat";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { IdentityError } from "../../../packages/client/index.ts";
import { openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import { nameRevert } from "../../../tasks/internal/testing/nameRevert.ts";
import { changeNode } from "../../fixtures/chain/changeNode.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { connectWith, enrollWith } from "../../fixtures/packages/toolboxes.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("A refusal of the registry", () => {
  for (const toolbox of ["ethers", "viem"] as const) {
    describe(`with ${toolbox}, in a project that has not compiled the registry`, () => {
      it("is thrown with its name and argument, and explained by what the verification is bound to", async () => {
        const at = await connectWith(toolbox);
        const { identity, provider } = at.connection;
        const [, phone = "", laptop = ""] = (await provider.request({ method: "eth_accounts" })) as string[];
        const { args } = await identity.mint({ consumer: at.consumer, user: phone, identity: "alice" });

        const error = await rejection(enrollWith[toolbox](at, 2, args));
        expect(error.message).to.match(/reverted with custom error 'NotSigner\(0x[0-9a-fA-F]{40}\)'/);
        expect(error.stack).to.include(error.message);
        expect(await identity.explain(error)).to.match(
          new RegExp(
            `^NotSigner\\(0x[0-9a-f]{40}\\): The verification is bound to the wallet ${phone}, but used with ${laptop}\\.$`,
            "i",
          ),
        );
      });

      it("is explained in words if the verification has expired or the identity has been used", async () => {
        const at = await connectWith(toolbox);
        const { identity, provider } = at.connection;
        const [, phone = ""] = (await provider.request({ method: "eth_accounts" })) as string[];
        const asked = { consumer: at.consumer, user: phone, identity: "alice" };
        const expired = await identity.mint({ ...asked, expired: true });
        expect(await identity.explain(await rejection(enrollWith[toolbox](at, 1, expired.args)))).to.match(
          /^VerificationExpired\(\d+\): The verification expired at 20/,
        );
        const { args } = await identity.mint(asked);
        await enrollWith[toolbox](at, 1, args);
        const again = await rejection(enrollWith[toolbox](at, 1, args));
        expect(await identity.explain(again)).to.equal(
          "AlreadyEnrolled(): This person has already enrolled, from this wallet or another one.",
        );
      });
    });
  }

  async function fixture(connecting = network.create("identityLocal")) {
    const { ethers, identity } = await connecting;
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry]);
    const other = await ethers.deployContract("IncentiveProgram", [registry]);
    const [, phone] = await ethers.getSigners();
    if (!phone) throw new Error("The node has too few accounts.");
    const minted = await identity.mint({ consumer: program, user: phone, identity: "alice" });
    const enroll = async (consumer: BaseContract, args: readonly unknown[]) => {
      const { estimateGas } = consumer.connect(phone).getFunction("enroll");
      const error = await rejection(estimateGas(...args));
      return (await identity.explain(error)).replace(/^NotSigner\(0x[0-9a-fA-F]{40}\): /, "");
    };
    return { ethers, identity, registry, program, other, phone, minted, enroll };
  }

  it("is explained by another consumer, registry, identity hash or expiration", async () => {
    const { identity, ethers, registry, program, other, phone, minted, enroll } = await fixture();
    const { identityHash, expiration, signature } = minted;
    expect((await enroll(other, minted.args)).toLowerCase()).to.equal(
      `the verification is bound to the consumer ${program.target}, but used with ${other.target}.`.toLowerCase(),
    );
    expect(await enroll(program, [identityHash, expiration + 1, signature])).to.equal(
      `The verification is bound to the expiration ${expiration}, but used with ${expiration + 1}.`,
    );
    expect(await enroll(program, [`0x${"11".repeat(32)}`, expiration, signature])).to.equal(
      `The verification is bound to the identity hash ${identityHash}, but used with 0x${"11".repeat(32)}.`,
    );
    const elsewhere = await identity.deployRegistry();
    const asked = { consumer: program, user: phone, identity: "alice", registry: elsewhere };
    expect(await enroll(program, (await identity.mint(asked)).args)).to.equal(
      `The verification is bound to the registry ${elsewhere.address}, but used with ${registry.address}.`,
    );
    // Some clients call the data so.
    const input = other.interface.encodeFunctionData("enroll", [...minted.args]);
    const call = { from: phone.address, to: other.target, input };
    const error = await rejection(ethers.provider.send("eth_call", [call, "latest"]));
    expect(await identity.explain(error)).to.include(`bound to the consumer ${program.target}`);
  });

  it("is explained over HTTP as well", async () => {
    const server = await network.createServer("identityLocal", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    onCleanup(() => server.close());
    const override = { url: `http://${address}:${port}` };
    const { other, minted, enroll } = await fixture(network.create({ network: "localhost", override }));
    expect(await enroll(other, minted.args)).to.include(`, but used with ${other.target}.`);
  });

  it("is explained by another expiration that comes after arguments of the function's own", async () => {
    const { ethers, identity, registry, phone } = await fixture();
    const ballot = await ethers.deployContract("Ballot", [registry]);
    const { identityHash, expiration, signature } = await identity.mint({
      consumer: ballot,
      user: phone,
      identity: "alice",
    });
    const propose = ballot.getFunction("propose");
    const proposal = await propose.staticCall("Shall we?");
    await propose("Shall we?");
    const vote = ballot.connect(phone).getFunction("vote");
    const error = await rejection(vote(proposal, true, identityHash, 2 ** 40 - 1, signature));
    expect(await identity.explain(error)).to.include(
      `: The verification is bound to the expiration ${expiration}, but used with 1099511627775.`,
    );

    const policy = await ethers.deployContract("VerifiedPolicy", [registry]);
    await policy.getFunction("setTarget")(phone);
    const minted = await identity.mint({ consumer: policy, user: phone, identity: "alice" });
    const evidence = ethers.AbiCoder.defaultAbiCoder().encode(
      ["bytes32", "uint40", "bytes"],
      [minted.identityHash, 2 ** 40 - 1, minted.signature],
    );
    const enforce = policy.connect(phone).getFunction("enforce");
    expect(await identity.explain(await rejection(enforce(phone, evidence)))).to.include(
      `: The verification is bound to the expiration ${minted.expiration}, but used with 1099511627775.`,
    );
  });

  it("is explained by an unknown signer, and by no made-up difference, if the call data is packed", async () => {
    const { ethers, identity, registry, phone } = await fixture();
    const [, , laptop] = await ethers.getSigners();
    const consumer = await ethers.deployContract("PackedConsumer", [registry]);
    const enter = async (
      caller: typeof laptop,
      { identityHash, expiration, signature }: typeof minted,
      at = 0,
    ) => {
      const packed = ethers.solidityPacked(
        ["bytes32", "uint40", "bytes"],
        [identityHash, expiration + at, signature],
      );
      const error = await rejection(
        caller?.sendTransaction({ to: consumer, data: packed }) ?? Promise.resolve(),
      );
      return await identity.explain(error);
    };
    const minted = await identity.mint({ consumer, user: phone, identity: "alice" });
    expect(await enter(laptop, minted)).to.match(
      new RegExp(
        `: The verification is bound to the wallet ${phone.address}, but used with ${laptop?.address}\\.$`,
      ),
    );
    const stranger = await identity.mint({ consumer, user: phone, identity: "bob", wrongSigner: true });
    expect(await enter(phone, stranger)).to.match(
      /^NotSigner\((0x\w{40})\): \1 signed the verification for exactly this use, but is not on the allowlist of /,
    );
    // The message leaves out facts that the call does not show.
    expect(await enter(phone, minted, 1)).to.match(
      / at the consumer 0x\w{40}, but was used with other values\.$/,
    );
  });

  it("is explained by a policy that has changed since", async () => {
    const { ethers, identity, registry, phone } = await fixture();
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const consumer = await ethers.deployContract("ChosenConsumer", [registry, "microblog", conditions]);
    const { args: _, ...minted } = await identity.mint({ consumer, user: phone, identity: "alice" });
    await ethers.provider.send("hardhat_setStorageAt", [consumer.target, "0x0", shortString("exchange")]);
    // Hex is the same in any case.
    const upper = (hex: string) => hex.toUpperCase().replace("X", "x") as `0x${string}`;
    const written = { identityHash: upper(minted.identityHash), signature: upper(minted.signature) };
    const { reason } = await identity.check({ ...minted, ...written, consumer, user: phone });
    expect(reason).to.match(
      /^The verification is bound to the policy 0x[0-9a-f]{64}, but used with 0x[0-9a-f]{64}\.$/,
    );
  });

  it("is explained by another chain, and by no policy, whose hash covers the chain", async () => {
    const { provider, ethers, identity: own } = await network.create("identityLocal");
    const program = await ethers.deployContract("IncentiveProgram", [await own.deployRegistry()]);
    const [, phone] = await ethers.getSigners();
    if (!phone) throw new Error("The node has too few accounts.");
    let chainId = "0x1";
    const { identity } = openIdentity(
      changeNode(provider, ({ method }) => (method === "eth_chainId" ? { result: chainId } : undefined)),
    );
    const asked = { consumer: program, user: phone };
    const { args: _, ...minted } = await identity.mint({ ...asked, identity: "alice" });
    chainId = "0x14a34";
    const { reason } = await identity.check({ ...minted, ...asked });
    expect(reason).to.equal("The verification is bound to the chain 1, but used with 84532.");
  });

  it("is explained by the node's error if the node fails", async () => {
    const { provider } = await network.create("identityLocal");
    let fails = false;
    const node = changeNode(provider, ({ method }) =>
      fails && method === "eth_call"
        ? { error: { code: -32_000, message: "No known hardfork for execution on historical block 1" } }
        : undefined,
    );
    const opened = openIdentity(node);
    const { address: registry } = await opened.identity.deployRegistry();
    const { bytecode } = readArtifact("examples/IncentiveProgram");
    const [from = "", user = ""] = (await node.request({ method: "eth_accounts" })) as string[];
    const data = concat([bytecode, zeroPadValue(registry, 32)]);
    const hash = await node.request({ method: "eth_sendTransaction", params: [{ from, data }] });
    const receipt = await node.request({ method: "eth_getTransactionReceipt", params: [hash] });
    const { contractAddress: consumer } = Object(receipt);
    const minted = await opened.identity.mint({ consumer, user, identity: "alice" });
    const refusal = `0x${id("NotSigner(address)").slice(2, 10)}${"00".repeat(12)}${"11".repeat(20)}`;
    opened.noteRevert(refusal, { from: user, to: consumer, data: minted.signature });
    fails = true;
    expect(await opened.identity.explain(refusal)).to.match(
      /^NotSigner\(0x1{40}\): The node failed to answer eth_call: No known hardfork for execution on historical block 1/,
    );
  });

  it("is explained as far as possible if nothing is known of the verification", async () => {
    const { identity, registry, phone, minted } = await fixture();
    const data = new Interface(registry.abi).encodeErrorResult("NotSigner", [phone.address]);
    for (const error of [
      data,
      { cause: { data } },
      new IdentityError("client_reverted", "Reverted.", { revertData: data }),
    ]) {
      expect(await identity.explain(error)).to.match(
        new RegExp(
          `^NotSigner\\(${phone.address}\\): The signature recovers to ${phone.address}, which is not`,
        ),
      );
    }
    const answer = { message: "execution reverted" };
    nameRevert(answer, data);
    expect(answer.message).to.equal(`execution reverted: NotSigner(${phone.address})`);
    expect(await identity.explain(new IdentityError("conditions_not_satisfied", "Too few."))).to.equal(
      "conditions_not_satisfied: Too few.",
    );
    expect(await identity.explain(new Error("x".repeat(401)))).to.equal(`${"x".repeat(400)}…`);
    expect(await identity.explain("0x12345678")).to.equal("0x12345678.");
    expect(await identity.explain(undefined)).to.equal("This contains no contract error.");
    expect(
      (await rejection(identity.check({ ...minted, consumer: registry, user: {} as string }))).message,
    ).to.equal("user must be an address, or a contract or wallet of ethers or viem, got an object.");
  });
});

/** Storage of a text of at most 31 bytes. */
function shortString(text: string): string {
  const bytes = Buffer.alloc(32);
  bytes.write(text);
  bytes[31] = 2 * text.length;
  return `0x${bytes.toString("hex")}`;
}
