import { expect } from "chai";
import { type Signer, Wallet } from "ethers";
import type { SignInFields } from "../../../protocol/signIn/build.ts";
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

    const pendingTime = async () =>
      Number((await stack.provider.send("eth_getBlockByNumber", ["pending", false])).timestamp);

    async function ask(wallet: Signer, consumer: string, fields: Partial<SignInFields> = {}) {
      return requestVerification(stack.url, await signedRequest(wallet, consumer, fields));
    }

    it("a malformed body, whatever its message is: invalid_argument", async () => {
      const { status, body } = await requestVerification(stack.url, { message: "nonsense" });
      expect(status).to.equal(400);
      expect(body.code).to.equal("invalid_argument");
      expect(body.detail).to.include("signature");
    });

    it("a malformed message: invalid_argument", async () => {
      const { address, wallet } = await stack.participate();
      const message = signInMessage({ address: wallet.address, consumer: address });
      for (const [malformed, word] of [
        [signInMessage({ address: wallet.address, consumer: address, chainId: 10 }), "Chain ID is 10"],
        [message.replace("Version: 1", "Version: 2"), "EIP-4361"],
      ] as const) {
        const signature = await wallet.signMessage(malformed);
        const { status, body } = await requestVerification(stack.url, { message: malformed, signature });
        expect(status).to.equal(400);
        expect(body.code).to.equal("invalid_argument");
        expect(body.detail).to.include(word);
      }
    });

    it("a wrong signature, and tells nothing else: invalid_argument", async () => {
      const { address, wallet } = await stack.participate();
      const refusals = new Set<string>();
      for (const consumer of [address, nowhere]) {
        const message = signInMessage({ address: wallet.address, consumer });
        for (const signature of [unsigned, await Wallet.createRandom().signMessage(message), "0x00", "0x"]) {
          const { status, body } = await requestVerification(stack.url, { message, signature });
          expect(status).to.equal(400);
          expect(body.code).to.equal("invalid_argument");
          refusals.add(body.detail);
        }
      }
      expect(refusals.size).to.equal(1);
    });

    it("a contract that is not there, or has no policy: contract_not_found", async () => {
      const wallet = await stack.addWallet();
      for (const consumer of [nowhere, stack.registry, await stack.deployer.getAddress()]) {
        const { status, body } = await ask(wallet, consumer);
        expect(status).to.equal(404);
        expect(body).to.include({ code: "contract_not_found", title: "Contract not found", status: 404 });
        expect(body).not.to.have.property("verifyUrl");
      }
    });

    it("a policy outside of the catalogue, for a wallet without a credential too: invalid_policy", async () => {
      const conditions = [{ name: "followers", op: "in", value: "1,2" }];
      const consumer = await stack.deployConsumer({ conditions });
      const { status, body } = await ask(Wallet.createRandom(), await consumer.getAddress());
      expect(status).to.equal(400);
      expect(body.code).to.equal("invalid_policy");
      expect(body.detail).to.include("in");
    });

    it("a wallet without a credential, and says where to get one: verification_not_found", async () => {
      const { address, consumer } = await stack.participate();
      await (await consumer.getFunction("setCutoffBlock")(10n ** 18n)).wait();
      const stranger = await stack.addWallet({ provider: "photo_social", traits: { username: "alice" } });
      const { status, body } = await ask(stranger, address);
      expect(status).to.equal(404);
      expect(body.code).to.equal("verification_not_found");
      expect(body.verifyUrl).to.equal(`${stack.url}/verify?providers=microblog&wallet=${stranger.address}`);
    });

    it("a credential from before the cutoff, even one that fails the conditions: needs_reauth", async () => {
      const { consumer, wallet, address, request } = await stack.participate({ traits: { followers: "1" } });
      const setCutoff = async (block: bigint | number) =>
        (await consumer.getFunction("setCutoffBlock")(block)).wait();
      const cutoff = await stack.provider.getBlock("latest");
      if (cutoff === null) throw new Error("no block");
      await setCutoff(cutoff.number);
      const authenticate = (authenticatedAt: number) =>
        stack.store.set({
          wallet: wallet.address,
          provider: "microblog",
          accountId: "again",
          traits: { followers: "1200" },
          authenticatedAt,
        });

      await stack.store.set({
        wallet: wallet.address,
        provider: "microblog",
        accountId: "again",
        traits: { followers: "1" },
        authenticatedAt: cutoff.timestamp - 1,
      });
      const { status, body } = await request();
      expect(status).to.equal(404);
      expect(body.code).to.equal("needs_reauth");
      const asked = `providers=microblog&wallet=${wallet.address}&since=${cutoff.timestamp}`;
      expect(body.verifyUrl).to.equal(`${stack.url}/verify?${asked}`);

      await authenticate(cutoff.timestamp - 1);
      expect((await request()).body.code).to.equal("needs_reauth");
      await authenticate(cutoff.timestamp);
      expect((await request()).status).to.equal(200);

      await authenticate(2 ** 40);
      for (const block of [(await stack.provider.getBlockNumber()) + 100, 2n ** 64n, 2n ** 256n - 1n]) {
        await setCutoff(block);
        const before = await pendingTime();
        const { body: refused } = await ask(wallet, address);
        expect(refused.code, String(block)).to.equal("needs_reauth");
        // Whoever proves the account after that has done what can be done.
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
      const { body } = await requestVerification(url, await signedRequest(old.wallet, old.address));
      expect(body.code).to.equal("needs_reauth");
      const since = Number(new URL(String(body.verifyUrl)).searchParams.get("since"));
      expect(since).to.be.within(oldest, oldest + 60);
      const young = await stack.participate({ authenticatedAt: oldest + 60 });
      const request = await signedRequest(young.wallet, young.address);
      expect((await requestVerification(url, request)).status).to.equal(200);
    });

    it("a credential that does not meet the conditions: conditions_not_satisfied", async () => {
      const { request } = await stack.participate({ traits: { followers: "12" } });
      const { status, body } = await request();
      expect(status).to.equal(400);
      expect(body.code).to.equal("conditions_not_satisfied");
      expect(body.detail).to.include("followers gt 1000: its value is 12.");
      expect(body).not.to.have.property("verifyUrl");
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
