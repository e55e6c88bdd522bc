import { expect } from "chai";
import { type Signer, Wallet } from "ethers";
import type { SignInFields } from "../../../packages/protocol/signIn/build.ts";
import { requestVerification, signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startStack } from "../../fixtures/signer/stack.ts";

describe("POST /v1/onchain_verifications", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;

  before(async () => {
    stack = await startStack();
  });

  describe("refuses, in this order,", () => {
    const unsigned = `0x${"00".repeat(65)}`;
    const nowhere = `0x${"12".repeat(20)}`;

    const said = ({ status, body }: Awaited<ReturnType<typeof requestVerification>>) => [
      status,
      body.code,
      body.detail,
    ];

    const pendingTime = async () =>
      Number((await stack.provider.send("eth_getBlockByNumber", ["pending", false])).timestamp);

    async function ask(wallet: Signer, consumer: string, fields: Partial<SignInFields> = {}) {
      return requestVerification(stack.url, await signedRequest(wallet, consumer, fields));
    }

    it("a malformed body, whatever its message is: invalid_argument", async () => {
      const answer = await requestVerification(stack.url, { message: "nonsense" });
      expect(said(answer)).to.deep.equal([
        400,
        "invalid_argument",
        "The request is malformed: signature must be a string of 0x and an even number of hex digits.",
      ]);
    });

    it("a malformed message: invalid_argument", async () => {
      const { address, wallet } = await stack.participate();
      const message = signInMessage({ address: wallet.address, consumer: address });
      for (const [malformed, detail] of [
        [
          signInMessage({ address: wallet.address, consumer: address, chainId: 10 }),
          "The sign-in message's Chain ID is 10; this service serves 84532.",
        ],
        [
          message.replace("Version: 1", "Version: 2"),
          "The sign-in message is not valid EIP-4361 (line 7: Version must be 1).",
        ],
      ] as const) {
        const signature = await wallet.signMessage(malformed);
        const answer = await requestVerification(stack.url, { message: malformed, signature });
        expect(said(answer)).to.deep.equal([400, "invalid_argument", detail]);
      }
    });

    it("a wrong signature, and tells nothing else: invalid_argument", async () => {
      const { address, wallet } = await stack.participate();
      const detail = `The signature is not one of ${wallet.address} over the message.`;
      for (const consumer of [address, nowhere]) {
        const message = signInMessage({ address: wallet.address, consumer });
        for (const signature of [unsigned, await Wallet.createRandom().signMessage(message), "0x00", "0x"]) {
          const answer = await requestVerification(stack.url, { message, signature });
          expect(said(answer)).to.deep.equal([400, "invalid_argument", detail]);
        }
      }
    });

    it("a contract that is not there, or has no policy: contract_not_found", async () => {
      const wallet = await stack.addWallet();
      const account = await stack.deployer.getAddress();
      for (const [consumer, detail] of [
        [nowhere, `There is no contract at ${nowhere} on this chain.`],
        [account, `There is no contract at ${account} on this chain.`],
        [stack.registry, `The contract ${stack.registry} does not answer provider() and conditions().`],
      ] as const) {
        const { body } = await ask(wallet, consumer);
        expect(body).to.deep.equal({
          status: 404,
          code: "contract_not_found",
          title: "Contract not found",
          type: "urn:hardhat-identity:problem:contract_not_found",
          detail,
          message: detail,
        });
      }
    });

    it("a policy outside of the catalogue, for a wallet without a credential too: invalid_policy", async () => {
      const conditions = [{ name: "followers", op: "in", value: "1,2" }];
      const consumer = await stack.deployConsumer({ conditions });
      const answer = await ask(Wallet.createRandom(), await consumer.getAddress());
      const detail = 'Condition followers does not take the operator "in"; it takes eq, gt, gte, lt, lte.';
      expect(said(answer)).to.deep.equal([400, "invalid_policy", detail]);
    });

    it("a wallet without a credential, and says where to get one: verification_not_found", async () => {
      const { address, consumer } = await stack.participate();
      await (await consumer.getFunction("setCutoffBlock")(10n ** 18n)).wait();
      const stranger = await stack.addWallet({ provider: "photo_social", traits: { username: "alice" } });
      const answer = await ask(stranger, address);
      expect(said(answer)).to.deep.equal([
        404,
        "verification_not_found",
        "The wallet has no verified microblog account.",
      ]);
      expect(answer.body.verifyUrl).to.equal(
        `${stack.url}/verify?providers=microblog&wallet=${stranger.address}`,
      );
    });

    it("a credential from before the cutoff, even one that fails the conditions: needs_reauth", async () => {
      const { consumer, wallet, address, request } = await stack.participate({ traits: { followers: "1" } });
      const setCutoff = async (block: bigint | number) =>
        (await consumer.getFunction("setCutoffBlock")(block)).wait();
      const cutoff = await stack.provider.getBlock("latest");
      if (cutoff === null) throw new Error("no block");
      await setCutoff(cutoff.number);
      const account = { wallet: wallet.address, provider: "microblog", accountId: "again" };
      const authenticate = (authenticatedAt: number, followers = "1200") =>
        stack.store.set({ ...account, traits: { followers }, authenticatedAt });

      await authenticate(cutoff.timestamp - 1, "1");
      const answer = await request();
      expect(said(answer)).to.deep.equal([
        404,
        "needs_reauth",
        `The microblog account was verified before block ${cutoff.number}: verify it again.`,
      ]);
      const asked = `providers=microblog&wallet=${wallet.address}&since=${cutoff.timestamp}`;
      expect(answer.body.verifyUrl).to.equal(`${stack.url}/verify?${asked}`);

      await authenticate(cutoff.timestamp - 1);
      expect((await request()).body.code).to.equal("needs_reauth");
      await authenticate(cutoff.timestamp);
      expect((await request()).status).to.equal(200);

      await authenticate(2 ** 40 - 1);
      for (const block of [(await stack.provider.getBlockNumber()) + 100, 2n ** 64n, 2n ** 256n - 1n]) {
        await setCutoff(block);
        const before = await pendingTime();
        const { body: refused } = await ask(wallet, address);
        expect(refused.code, String(block)).to.equal("needs_reauth");
        // After a proof since then, the person can do no more.
        const since = Number(new URL(String(refused.verifyUrl)).searchParams.get("since"));
        expect(since).to.be.within(before, await pendingTime());
      }
      await setCutoff(0);
      expect((await request()).status).to.equal(200);
    });

    it("a credential that was proven longer ago than the operator allows: needs_reauth", async () => {
      const { url, config } = await stack.startReplica({ IDENTITY_CREDENTIAL_MAX_AGE: "90" });
      const oldest = (await pendingTime()) - config.credentialMaxAge * 86_400;
      const old = await stack.participate({ authenticatedAt: oldest - 60 });
      const answer = await requestVerification(url, await signedRequest(old.wallet, old.address));
      expect(said(answer)).to.deep.equal([
        404,
        "needs_reauth",
        "The microblog account was verified too long ago: verify it again.",
      ]);
      const since = Number(new URL(String(answer.body.verifyUrl)).searchParams.get("since"));
      expect(since).to.be.within(oldest, oldest + 60);
      const young = await stack.participate({ authenticatedAt: oldest + 60 });
      const request = await signedRequest(young.wallet, young.address);
      expect((await requestVerification(url, request)).status).to.equal(200);
    });

    it("a credential that does not meet the conditions: conditions_not_satisfied", async () => {
      const { request } = await stack.participate({ traits: { followers: "12" } });
      const answer = await request();
      const detail = "The microblog account does not meet the condition followers gt 1000: its value is 12.";
      expect(said(answer)).to.deep.equal([400, "conditions_not_satisfied", detail]);
      expect(answer.body).not.to.have.property("verifyUrl");
    });
  });

  it("reports other refusals also while its signer is off the allowlist", async () => {
    const unlisted = await startStack(ownSecrets());
    const { consumer, address, wallet, request } = await unlisted.participate();
    const code = async (signer: Signer, at: string) =>
      (await requestVerification(unlisted.url, await signedRequest(signer, at))).body.code;
    const consumerOf = async (name: string, value: string) =>
      (await unlisted.deployConsumer({ conditions: [{ name, op: "gt", value }] })).getAddress();

    expect((await requestVerification(unlisted.url, {})).body.code).to.equal("invalid_argument");
    expect(await code(wallet, unlisted.registry)).to.equal("contract_not_found");
    expect(await code(wallet, await consumerOf("fame", "1"))).to.equal("invalid_policy");
    expect(await code(Wallet.createRandom(), address)).to.equal("verification_not_found");
    expect(await code(wallet, await consumerOf("followers", "9999"))).to.equal("conditions_not_satisfied");
    expect((await request()).body.code).to.equal("not_ready");
    await (await consumer.getFunction("setCutoffBlock")(10n ** 12n)).wait();
    expect((await request()).body.code).to.equal("needs_reauth");
  });
});
