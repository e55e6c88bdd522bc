import { expect } from "chai";
import { network } from "hardhat";
import { openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import type { TestMintOptions } from "../../../tasks/internal/testing/mint.ts";
import { rejection } from "../../fixtures/rejection.ts";

async function fixture() {
  const { ethers, identity, networkHelpers } = await network.create("identityLocal");
  const registry = await identity.deployRegistry();
  const program = await ethers.deployContract("IncentiveProgram", [registry]);
  const [, alice, bob] = await ethers.getSigners();
  if (!alice || !bob) throw new Error("The node has too few accounts.");
  const asked = { consumer: program, user: alice, identity: "alice" };
  return { ethers, identity, networkHelpers, registry, program, alice, bob, asked };
}

describe("identity.mint", () => {
  it("mints arguments of an entry point with which a consumer admits the named wallet", async () => {
    const { identity, program, alice, asked } = await fixture();
    const { args, ...verification } = await identity.mint(asked);
    expect(args).to.deep.equal(Object.values(verification));
    await expect(program.connect(alice).getFunction("enroll")(...args))
      .to.emit(program, "Enrolled")
      .withArgs(alice.address, verification.identityHash);
  });

  it("accepts addresses of either toolbox, and a block's timestamp as seconds", async () => {
    const { identity, program, alice, asked } = await fixture();
    const { identityHash } = await identity.mint(asked);
    const address = await program.getAddress();
    for (const consumer of [address, { target: address }, { address }]) {
      for (const user of [alice.address, { address: alice.address }, { account: alice }]) {
        const minted = await identity.mint({ ...asked, consumer, user, expiration: 2n ** 40n - 1n });
        expect(minted).to.include({ identityHash, expiration: 2 ** 40 - 1 });
        expect(await identity.check({ ...minted, consumer, user })).to.deep.equal({ valid: true });
      }
    }
  });

  describe("of what a consumer must refuse", () => {
    it("mints a verification that expired a second ago", async () => {
      const { identity, networkHelpers, program, alice, asked } = await fixture();
      const last = await networkHelpers.time.latest();
      const { args, ...verification } = await identity.mint({ ...asked, expired: true });
      const { expiration } = verification;
      expect(expiration).to.equal(last - 1);
      const { reason } = await identity.check({ ...verification, consumer: program, user: alice });
      expect(reason).to.match(/^The verification expired at 20/);
      await expect(program.connect(alice).getFunction("enroll")(...args))
        .to.be.revertedWithCustomError(program, "VerificationExpired")
        .withArgs(expiration);
    });

    for (const [flaw, words] of [
      ["wrongSigner", "is not on the allowlist of"],
      ["otherWallet", "bound to the wallet"],
      ["otherConsumer", "bound to the consumer"],
    ] as const) {
      it(`mints a verification with ${flaw} and no other flaw`, async () => {
        const { identity, program, alice, asked } = await fixture();
        const { args, ...verification } = await identity.mint({ ...asked, [flaw]: true });
        await expect(program.connect(alice).getFunction("enroll")(...args)).to.be.revertedWithCustomError(
          program,
          "NotSigner",
        );
        const { reason } = await identity.check({ ...verification, consumer: program, user: alice });
        expect(reason).to.include(words).and.not.include(";");
      });
    }
  });

  describe("with traits", () => {
    it("mints for traits that meet the policy, given as numbers of any kind", async () => {
      const { identity, asked } = await fixture();
      const { identityHash } = await identity.mint(asked);
      for (const followers of [1001, 2n ** 80n]) {
        expect(await identity.mint({ ...asked, traits: { followers } })).to.include({ identityHash });
      }
    });

    it("throws the service's error and names the condition that the traits do not meet", async () => {
      const { identity, asked } = await fixture();
      for (const [traits, got] of [
        [{ followers: 1000 }, "its value is 1000"],
        [{ verified: true }, "its value is missing"],
      ] as const) {
        const error = await rejection(identity.mint({ ...asked, traits }));
        expect(error).to.include({ code: "conditions_not_satisfied" });
        expect(error.message).to.equal(
          `The microblog account does not meet the condition followers gt 1000: ${got}.`,
        );
      }
    });

    it("says that nobody can have proven an account since a block that does not exist yet", async () => {
      const { ethers, identity, registry, alice } = await fixture();
      const conditions = [{ name: "followers", op: "gt", value: "1000" }];
      const consumer = await ethers.deployContract("ChosenConsumer", [registry, "microblog", conditions]);
      await consumer.getFunction("setCutoffBlock")(1000);
      const asked = { consumer, user: alice, identity: "alice" };
      expect(await rejection(identity.mint({ ...asked, traits: { followers: 1200 } }))).to.include({
        code: "needs_reauth",
        message: "Accounts must be verified after block 1000, which does not exist yet.",
      });
      await identity.mint(asked);
    });

    it("mints in the block of the cutoff itself, so a vote can open in its deployment's block", async () => {
      const { ethers, identity, registry, alice } = await fixture();
      const consumer = await ethers.deployContract("Ballot", [registry]);
      expect(await consumer.cutoffBlock()).to.equal(BigInt(await ethers.provider.getBlockNumber()));
      const traits = { follower_count: 100, video_count: 1 };
      const { args } = await identity.mint({ consumer, user: alice, identity: "alice", traits });
      await consumer.connect(alice).vote(0n, true, ...args);
      expect(await consumer.yes(0n)).to.equal(1n);
    });

    it("names a trait that the provider does not have", async () => {
      const { identity, asked } = await fixture();
      expect((await rejection(identity.mint({ ...asked, traits: { height: 180 } }))).message).to.equal(
        'Provider microblog has no trait "height"; it has followers, verified, verified_type.',
      );
    });
  });

  it("refuses a policy that the service would refuse, with traits or without", async () => {
    const { ethers, identity, registry, asked } = await fixture();
    const conditions = [{ name: "followers", op: "in", value: "1000" }];
    const consumer = await ethers.deployContract("ChosenConsumer", [registry, "microblog", conditions]);
    for (const traits of [undefined, { followers: 1200 }]) {
      expect(await rejection(identity.mint({ ...asked, consumer, traits }))).to.include({
        code: "invalid_policy",
        message: 'Condition followers does not take the operator "in"; it takes eq, gt, gte, lt, lte.',
      });
    }
  });

  const questions: unknown[] = [];
  /** On a node that is asked nothing. */
  const { identity } = openIdentity({ request: async (call) => questions.push(call) });
  const somebody = `0x${"12".repeat(20)}`;
  const asked = { consumer: somebody, user: somebody, identity: "alice" };
  const notAName = 'identity must be a person\'s name, such as "alice", got';
  const noTime = "expiration must be whole unix seconds, got";
  const notAnAddress = "must be an address, or a contract or wallet of ethers or viem, got";
  for (const [what, change, message] of [
    ["no user", { user: undefined }, "user is missing; it must be an address (0x and 40 hex digits)."],
    ["a function as its user", { user: () => "" }, `user ${notAnAddress} a function.`],
    ["a number as its consumer", { consumer: 12 }, `consumer ${notAnAddress} 12.`],
    ["half an address", { user: "0x12" }, 'user must be an address (0x and 40 hex digits), got "0x12".'],
    ["an identity without a name", { identity: "" }, `${notAName} "".`],
    ["a wallet as its identity", { identity: {} }, `${notAName} an object.`],
    ["half a character in a name", { identity: "al\ud83dice" }, `${notAName} "al\\ud83dice".`],
    [
      "milliseconds",
      { expiration: 19e11 },
      `${noTime} 1900000000000: are these milliseconds? Divide them by 1000.`,
    ],
    ["a Date", { expiration: new Date(0) }, `${noTime} an object of class Date.`],
    ["negative seconds", { expiration: -5 }, `${noTime} -5.`],
    ["broken seconds", { expiration: 1.5 }, `${noTime} 1.5.`],
    [
      "two ends",
      { expiration: 5, expired: true },
      "expiration and expired both set the expiration; give one of them.",
    ],
    [
      "two flaws",
      { otherWallet: true, expired: true },
      "expired and otherWallet cannot be combined: the registry reports only one error. Mint two verifications.",
    ],
    [
      "words for a flaw",
      { expired: "y".repeat(81) },
      `expired must be true or false, got "${"y".repeat(80)}…".`,
    ],
    [
      "a list of traits",
      { traits: ["followers"] },
      "traits must be an object of traits, such as { followers: 1200 }, got an array.",
    ],
    [
      "a signing key of another length",
      { signingKey: "0x1234" },
      "signingKey must be a private key: 32 bytes as hex after 0x (not shown).",
    ],
    [
      "a member that there is not",
      { wallet: "0x" },
      'identity.mint does not know "wallet"; it takes consumer, user, identity, traits, registry, expiration, ' +
        "signingKey, expired, wrongSigner, otherWallet, otherConsumer.",
    ],
  ] as const) {
    it(`says in a sentence what is wrong with ${what}`, async () => {
      const error = await rejection(identity.mint({ ...asked, ...change } as TestMintOptions));
      expect(questions).to.deep.equal([]);
      expect(error).to.include({ name: "InvalidInputError", message });
    });
  }

  it("says in a sentence that a wallet is not a consumer", async () => {
    const { identity, asked, alice } = await fixture();
    expect((await rejection(identity.mint({ ...asked, consumer: alice }))).message).to.equal(
      `There is no contract at ${alice.address} on this chain.`,
    );
  });
});
