import { expect } from "chai";
import { serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startStack } from "../../fixtures/signer/stack.ts";

/** Two replicas with secrets of their own, on a node that looks like a public chain's, and a wallet that asks them. */
async function publicStack() {
  const chain = await serveChainWithRegistry();
  const proxy = await serveProxy(chain.rpcUrl, hideLocalNode);
  const stack = await startStack({ ...ownSecrets(), IDENTITY_RPC_URL: proxy.url }, chain);
  await (await stack.registryContract.getFunction("addSigner")(stack.service.signer)).wait();
  const another = (await stack.startReplica()).url;
  const { timestamp } = (await stack.provider.getBlock("latest")) ?? { timestamp: 0 };
  const { consumer, wallet, address } = await stack.participate({ authenticatedAt: timestamp - 3_600 });
  const ask = async (url = stack.url) => {
    const { status, body } = await requestVerification(url, await signedRequest(wallet, address));
    return body.code ?? status;
  };
  /** How often a contract was read since the last call. */
  const isReading = (batch: readonly string[]) =>
    batch.filter((method) => method === "eth_call").length === 1;
  const readings = () => proxy.batches.filter(isReading).length;
  proxy.batches.length = 0;
  return { stack, consumer, proxy, ask, another, readings };
}

describe("A contract that is asked about", () => {
  it("is held to a cutoff that moved a second ago", async () => {
    const { stack, consumer, ask } = await publicStack();
    stopTime();
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([200, 200, 200]);
    await (await consumer.getFunction("setCutoffBlock")(await stack.provider.getBlockNumber())).wait();
    passTime(1_000);
    expect(await ask()).to.equal("needs_reauth");
  });

  it("is read once a second for a lone client, on a node that is not a local one", async () => {
    const { proxy, ask, readings } = await publicStack();
    stopTime();
    expect([await ask(), await ask()]).to.deep.equal([200, 200]);
    expect(readings()).to.equal(1);
    passTime(1_000);
    expect(await ask()).to.equal(200);
    expect(readings()).to.equal(2);
    proxy.behaviour = {};
  });

  it("is read anew without keeping the next client waiting", async () => {
    const { proxy, ask, readings } = await publicStack();
    stopTime();
    expect(await ask()).to.equal(200);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.behaviour = { answer: (method) => (method === "eth_call" ? held : Promise.resolve()) };
    passTime(900);
    expect(await ask()).to.equal(200);
    // The node may get it after the client has its answer.
    while (readings() < 2) await new Promise(setImmediate);
    release();
  });

  it("is held within a second to a cutoff that another replica has seen", async () => {
    const { stack, consumer, ask, another } = await publicStack();
    stopTime();
    expect(await ask()).to.equal(200);
    passTime(500);
    expect(await ask(another)).to.equal(200);
    await (await consumer.getFunction("setCutoffBlock")(await stack.provider.getBlockNumber())).wait();
    passTime(500);
    expect(await ask()).to.equal("needs_reauth");
    passTime(500);
    expect(await ask(another)).to.equal("needs_reauth");
  });
});
