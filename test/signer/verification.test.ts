import { expect } from "chai";
import { type Contract, Wallet } from "ethers";
import { development } from "../../protocol/development.ts";
import type { Condition } from "../../protocol/policy.ts";
import type { SignInFields } from "../../protocol/signIn/build.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/localChain.ts";
import { startTestSigner } from "../fixtures/signer.ts";
import { requestVerification, signedRequest } from "../fixtures/signIn.ts";

const now = () => Math.floor(Date.now() / 1000);
const followers: Condition[] = [{ name: "followers", op: "gt", value: "1000" }];

describe("POST /v1/onchain_verifications", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;

  async function startStack() {
    const chain = await serveChainWithRegistry();
    const registry = await chain.registry.getAddress();
    const signer = await startTestSigner({ IDENTITY_RPC_URL: chain.rpcUrl, IDENTITY_REGISTRY: registry });
    const store = await openCredentialStore({
      databaseUrl: signer.config.databaseUrl,
      masterSecret: development.masterSecret,
    });
    return { ...chain, registry, signer, store, url: signer.url };
  }

  before(async () => {
    stack = await startStack();
  });

  after(() => stack.store.close());

  /** A consumer with a policy, and a wallet (with ether) that has a credential for it. */
  async function fixture(
    options: { provider?: string; conditions?: Condition[]; traits?: Record<string, string> } = {},
  ) {
    const { provider = "microblog", conditions = followers, traits = { followers: "1200" } } = options;
    const consumer = (await deploy(stack.deployer, "ChosenConsumer", [
      stack.registry,
      provider,
      conditions,
    ])) as Contract;
    const address = await consumer.getAddress();
    const wallet = Wallet.createRandom(stack.provider);
    await (await stack.deployer.sendTransaction({ to: wallet.address, value: 10n ** 18n })).wait();
    const credential = { provider, accountId: wallet.address, traits, authenticatedAt: now() };
    await stack.store.set({ ...credential, wallet: wallet.address });
    return {
      consumer,
      address,
      wallet,
      credential,
      request: async (fields: Partial<SignInFields> = {}) =>
        requestVerification(stack.url, await signedRequest(wallet, address, fields)),
    };
  }

  it("answers a verification that the consumer admits the wallet with", async () => {
    const { consumer, wallet, request } = await fixture();
    const { status, body } = await request();
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.have.all.keys("identityHash", "expiration", "signature");
    const enroll = (consumer.connect(wallet) as Contract).getFunction("enroll");
    await (await enroll(body.identityHash, body.expiration, body.signature)).wait();
    expect(await consumer.getFunction("identityUsed")(body.identityHash)).to.equal(true);
  });
});
