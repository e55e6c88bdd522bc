import { expect } from "chai";
import { concat, hashMessage, id, recoverAddress, Wallet } from "ethers";
import { catalogue } from "../../../packages/protocol/catalogue.ts";
import { development } from "../../../packages/protocol/development.ts";
import { hashVerification } from "../../../packages/protocol/protocolHashes.ts";
import { verificationDomain } from "../../../packages/protocol/verification.ts";
import { deploySafeContracts, planSafe, signForSafe, wrap } from "../../fixtures/chain/safe.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { requestVerification, signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("POST /v1/onchain_verifications", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;

  before(async () => {
    stack = await startStack();
  });

  const pendingTime = async () =>
    Number((await stack.provider.send("eth_getBlockByNumber", ["pending", false])).timestamp);

  describe("when all is well", () => {
    it("answers a verification that the consumer admits the wallet with", async () => {
      const { consumer, wallet, request } = await stack.participate();
      const { status, body, response } = await request();
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(response.headers.get("content-type")).to.equal("application/json; charset=utf-8");
      expect(body).to.have.all.keys("identityHash", "expiration", "signature");
      await stack.enroll(consumer, wallet, body);
    });

    it("signs exactly what the specification says, with the signer on the allowlist", async () => {
      const { address, wallet, request } = await stack.participate();
      const before = await pendingTime();
      const { body } = await request();
      expect(body.expiration).to.be.within(before + 300, (await pendingTime()) + 300);
      const digest = hashVerification(verificationDomain({ chainId: 84532, registry: stack.registry }), {
        user: wallet.address,
        identityHash: body.identityHash,
        policyHash: await stack.registryContract.getFunction("policyHash")(address),
        expiration: body.expiration,
      });
      expect(body.signature).to.match(/^0x[0-9a-f]{128}1[bc]$/);
      expect(recoverAddress(digest, body.signature)).to.equal(development.signer);
    });

    it("gives an account one identity per consumer, from any wallet", async () => {
      const [consumer, other] = [await stack.deployConsumer(), await stack.deployConsumer()];
      const one = await stack.addWallet({ accountId: "same" });
      const two = await stack.addWallet({ accountId: "same" });
      const ask = async (wallet: typeof one, at: typeof consumer) => {
        const request = await signedRequest(wallet, await at.getAddress());
        return (await requestVerification(stack.url, request)).body;
      };
      const [first, second] = [await ask(one, consumer), await ask(two, consumer)];
      expect(second.identityHash).to.equal(first.identityHash);
      expect((await ask(one, other)).identityHash).not.to.equal(first.identityHash);
      const stranger = await stack.addWallet({ accountId: "other" });
      expect((await ask(stranger, consumer)).identityHash).not.to.equal(first.identityHash);

      await stack.enroll(consumer, one, first);
      const refused = await rejection(stack.enroll(consumer, two, second));
      const used = concat([id("IdentityAlreadyUsed(bytes32)").slice(0, 10), first.identityHash]);
      expect(refused).to.have.property("data", used);
    });

    it("admits a Safe, deployed or not, as the wallet that it is", async () => {
      const safe = await deploySafeContracts(stack.deployer);
      const owner = Wallet.createRandom();
      const plan = await planSafe(safe, [owner.address], 1);
      const consumer = await stack.deployConsumer();
      await stack.store.set({
        wallet: plan.address,
        provider: "microblog",
        accountId: "safe",
        traits: { followers: "5000" },
        authenticatedAt: Math.floor(Date.now() / 1000),
      });
      const message = signInMessage({ address: plan.address, consumer: await consumer.getAddress() });
      const signature = await signForSafe(plan.address, [owner], hashMessage(message));
      const ask = (signature: string) => requestVerification(stack.url, { message, signature });
      expect((await ask(signature)).body.code).to.equal("invalid_argument");
      expect((await ask(wrap(plan.factory, plan.factoryData, signature))).status).to.equal(200);
      await plan.deploy();
      const { status, body } = await ask(signature);
      expect(status).to.equal(200);
      await stack.enroll(consumer, plan, body);
    });

    it("signs for every condition of the catalogue", async () => {
      const samples = { int: ["7", "7"], bool: ["true", "true"], string: ["blue", "blue"] } as const;
      for (const [provider, conditions] of catalogue) {
        const entries = [...conditions];
        const { status, body } = await (
          await stack.participate({
            provider,
            conditions: entries.map(([name, { type }]) => ({ name, op: "eq", value: samples[type][0] })),
            traits: Object.fromEntries(entries.map(([name, { type }]) => [name, samples[type][1]])),
          })
        ).request();
        expect(status, `${provider} ${JSON.stringify(body)}`).to.equal(200);
      }
    });
  });

  describe("when the chain's clock is not the wall clock", () => {
    it("measures expiration by the chain, and the message by the wall clock", async () => {
      const own = await startStack();
      const day = 86_400;
      await own.provider.send("evm_increaseTime", [day]);
      const { consumer, wallet, request } = await own.participate();
      const pending = Number((await own.provider.send("eth_getBlockByNumber", ["pending", false])).timestamp);
      expect(pending).to.be.greaterThan(Date.now() / 1000 + day / 2);
      const { status, body } = await request();
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.expiration).to.be.at.least(pending + 300);
      await own.enroll(consumer, wallet, body);
      const old = await request({ issuedAt: new Date(Date.now() - 601_000) });
      expect(old.body.code).to.equal("invalid_argument");
    });
  });
});
