import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A contract that many ask about", () => {
  /** A service behind a proxy of its node, with one contract that three requests at once have just asked about. */
  async function fixture(own = true) {
    const secrets = {
      IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)),
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
    };
    const stack = await startStack(own ? secrets : {});
    const proxy = await serveProxy(stack.rpcUrl);
    const service = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    if (own) await (await stack.registryContract.getFunction("addSigner")(service.signer)).wait();
    const { timestamp } = (await stack.provider.getBlock("latest")) ?? { timestamp: 0 };
    const { consumer, wallet, address } = await stack.participate({ authenticatedAt: timestamp - 3_600 });
    const request = await signedRequest(wallet, address);
    const ask = async () => {
      const { status, body } = await requestVerification(service.url, request);
      return body.code ?? status;
    };
    const moveCutoff = async () => {
      const block = await stack.provider.getBlockNumber();
      await (await consumer.getFunction("setCutoffBlock")(block)).wait();
    };
    stopTime();
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([200, 200, 200]);
    proxy.batches.length = 0;
    return { stack, proxy, ask, moveCutoff };
  }

  it("is answered from one reading for a second", async () => {
    const { proxy, ask } = await fixture();
    proxy.behaviour = { respond: (response) => response.destroy() };
    expect(await ask()).to.equal(200);
    expect(proxy.batches).to.have.length(0);
    passTime(1_000);
    expect(await ask()).to.equal("chain_unavailable");
    proxy.behaviour = {};
    expect(await ask()).to.equal(200);
  });

  it("is held to a cutoff that moved a second ago", async () => {
    const { ask, moveCutoff } = await fixture();
    await moveCutoff();
    passTime(1_000);
    expect(await ask()).to.equal("needs_reauth");
  });

  it("is answered by the chain's current state if development secrets are used", async () => {
    const { proxy, ask, moveCutoff } = await fixture(false);
    expect(await ask()).to.equal(200);
    expect(proxy.batches).to.have.length(1);
    await moveCutoff();
    expect(await ask()).to.equal("needs_reauth");
  });
});
