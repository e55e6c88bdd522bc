import { expect } from "chai";
import { type BaseContract, Wallet } from "ethers";
import { network } from "hardhat";
import { attackWallets } from "../../packages/attack/wallets.ts";
import type { Claim } from "../../tasks/internal/testing/attack.ts";
import { as } from "../fixtures/attacked/claims.ts";
import { connectWith } from "../fixtures/packages/toolboxes.ts";
import { rejection } from "../fixtures/rejection.ts";
import { readGuide } from "../fixtures/tasks/lintProject.ts";

async function deployed(name: string) {
  const { ethers, identity, provider } = await network.create("identityLocal");
  const registry = await identity.deployRegistry();
  return { ethers, identity, provider, contract: await ethers.deployContract(name, [registry]) };
}

const enter =
  (contract: BaseContract, name = "enter"): Claim =>
  ({ verification, wallet }) =>
    as(contract, wallet)[name](...verification.args);

/** A few attacks that show how a claim is played. */
const some = ["made-up verification", "second wallet"];

describe("identity.attack, shown a claim", () => {
  it("finds nothing in an example with ethers, and leaves the chain as it was", async () => {
    const { identity, provider, contract } = await deployed("IncentiveProgram");
    const head = () => provider.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
    const before = await head();
    expect(await identity.attack(contract, enter(contract, "enroll"))).to.deep.equal([]);
    expect(await head()).to.deep.equal(before);
  });

  it("finds nothing in an example with viem", async () => {
    const at = await connectWith("viem");
    const { viem, identity } = at.connection;
    const node = await viem.getPublicClient();
    const program = { abi: at.abi, address: at.consumer as `0x${string}` };
    const faults = await identity.attack(
      program,
      async ({ verification, wallet }) => {
        const hash = await wallet.writeContract({
          ...program,
          functionName: "enroll",
          args: verification.args,
        });
        await node.waitForTransactionReceipt({ hash });
      },
      { attacks: some },
    );
    expect(faults).to.deep.equal([]);
  });

  it("is shown in the guide as in the tests that identity init writes, which are run", () => {
    const [, section = ""] = readGuide("docs/linting.md").split("## Attack a consumer");
    for (const toolbox of ["ethers", "viem"]) {
      const [, snippet = ""] =
        new RegExp(`\\*\\*${toolbox}\\*\\*\\n\\n\`\`\`ts\\n(.*?)\\n\`\`\``, "s").exec(section) ?? [];
      expect(snippet).to.include("identity.attack(");
      const written = readGuide(`tasks/templates/test/${toolbox}.ts`).replaceAll("consumer", "airdrop");
      expect(written.replaceAll(/^ {4}/gm, "")).to.include(snippet);
    }
  });

  it("names each fault, with the transactions that show it", async () => {
    const { identity, contract } = await deployed("ExternalGate");
    const faults = await identity.attack(contract, enter(contract));
    expect(faults.map(({ attack, entryPoint }) => [attack, entryPoint])).to.deep.equal([
      ["same wallet twice", "enter(bytes32,uint40,bytes)"],
      ["second wallet", "enter(bytes32,uint40,bytes)"],
    ]);
    expect(faults[1]?.transactions.map(({ what }) => what)).to.deep.equal([
      "The first wallet calls enter(bytes32,uint40,bytes) as alice.",
      "The second wallet calls enter(bytes32,uint40,bytes) as alice.",
    ]);
  });

  it("gives transactions that show the fault when a test sends them again", async () => {
    const { identity, ethers, contract } = await deployed("ExternalGate");
    const [fault] = await identity.attack(contract, enter(contract), { attacks: ["second wallet"] });
    expect(fault?.transactions).to.have.length(2);
    for (const { from, to, data } of fault?.transactions ?? []) {
      const wallet = await ethers.getImpersonatedSigner(from);
      await ethers.provider.send("hardhat_setBalance", [from, "0xde0b6b3a7640000"]);
      const receipt = await (await wallet.sendTransaction({ to: to ?? null, data })).wait();
      expect(receipt?.status).to.equal(1);
    }
  });

  it("leaves out what a comment of the contract says is meant", async () => {
    const { identity, contract } = await deployed("RepeatedGate");
    expect(await identity.attack(contract, enter(contract))).to.deep.equal([]);
  });

  it("prepares each wallet once, and takes transactions that are signed with the wallet's key", async () => {
    const { identity, ethers, contract } = await deployed("IncentiveProgram");
    const prepared: string[] = [];
    const keys = new Map(
      Object.values(attackWallets).map((each) => [each.address as string, each.privateKey]),
    );
    const faults = await identity.attack(
      contract,
      async ({ verification, wallet }) => {
        const own = new Wallet(keys.get(wallet.address) ?? "", ethers.provider);
        await own.signTypedData({}, { Hello: [{ name: "text", type: "string" }] }, { text: "hello" });
        await wallet.signMessage("hello");
        await as(contract, own).enroll(...verification.args);
      },
      { attacks: some, prepare: async ({ address }) => void prepared.push(address) },
    );
    expect(faults).to.deep.equal([]);
    expect(prepared).to.deep.equal([...keys.keys()]);
  });

  it("says held only where others are let in, and tells what was not tried", async () => {
    const { identity, contract } = await deployed("IncentiveProgram");
    const told: unknown[] = [];
    const { error } = console;
    console.error = (text) => void told.push(text);
    try {
      // The claim lets one person in.
      let isOver = false;
      const faults = await identity.attack(
        contract,
        async ({ verification, wallet, unique }) => {
          isOver = unique > 1;
          if (isOver) throw new Error("The sale is over.");
          await as(contract, wallet).enroll(...verification.args);
        },
        { attacks: some },
      );
      expect(faults).to.deep.equal([]);
    } finally {
      console.error = error;
    }
    expect(told).to.deep.equal([
      "enroll(bytes32,uint40,bytes): not tried: second wallet, as others are refused, too: The sale is over.",
    ]);
  });

  it("says why the claim is refused for a verified person", async () => {
    const { identity, contract } = await deployed("ClosedGate");
    for (const [claim, words] of [
      [enter(contract), "The claim is refused for a verified person, so nothing could be tried: Closed(1)."],
      [async () => {}, "the claim sends no transaction on this connection."],
    ] as const) {
      const { message } = await rejection(identity.attack(contract, claim as Claim));
      expect(message).to.include(words);
    }
    const open = await deployed("IncentiveProgram");
    const options = { admitted: () => false };
    const claim = enter(open.contract, "enroll");
    expect((await rejection(open.identity.attack(open.contract, claim, options))).message).to.include(
      "admitted() answers false.",
    );
  });
});
