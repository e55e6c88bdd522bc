import { mock } from "node:test";
import { expect } from "chai";
import { ChainUnavailableError, connectChain } from "../../chain/connect.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { rejection } from "../fixtures/rejection.ts";

describe("A chain that is reached over HTTP", () => {
  /** A chain behind a proxy, asked as the chain of an id, and what is told of the round trips to it. */
  async function fixture(chainId = 84532) {
    const { rpcUrl } = await serveLocalChain();
    const proxy = await serveProxy(rpcUrl);
    const told: { outcome: string; seconds: number }[] = [];
    const chain = connectChain({
      url: proxy.url,
      chainId,
      onRoundTrip: (outcome, seconds) => told.push({ outcome, seconds }),
    });
    const ask = (method: string) => chain.open().request({ method });
    return { proxy, told, ask, outcomes: () => told.map(({ outcome }) => outcome) };
  }

  describe("by one conversation", function () {
    this.timeout(10_000);
    afterEach(() => mock.restoreAll());

    /** A conversation whose time is over when the test says so. */
    async function limited() {
      const { proxy } = await fixture();
      const limit = new AbortController();
      const limits = mock.method(AbortSignal, "timeout", (_milliseconds: number) => limit.signal);
      const node = connectChain({ url: proxy.url, chainId: 84532 }).open();
      return { node, limit, limits: () => limits.mock.calls.flatMap((call) => call.arguments) };
    }

    it("counts the node's time from when it is asked, however long the service was busy before", async () => {
      const { node, limits } = await limited();
      expect(limits()).to.deep.equal([]);
      expect(await node.request({ method: "eth_blockNumber" })).to.equal("0x0");
      expect(limits()).to.deep.equal([4_000]);
    });

    it("gives all of its round trips four seconds together", async () => {
      const { node, limit, limits } = await limited();
      expect(await node.request({ method: "eth_blockNumber" })).to.equal("0x0");
      expect(await node.request({ method: "eth_blockNumber" })).to.equal("0x0");
      limit.abort();
      const error = await rejection(node.request({ method: "eth_blockNumber" }));
      expect(error).to.be.instanceOf(ChainUnavailableError);
      expect(error.message).to.equal("The node did not answer in time.");
      expect(limits()).to.deep.equal([4_000]);
    });

    it("waits in the same time for what the node was asked by another", async () => {
      const { node, limit, limits } = await limited();
      expect(await node.within(Promise.resolve("in time"))).to.equal("in time");
      const waiting = rejection(node.within(new Promise(() => {})));
      limit.abort();
      const later = rejection(node.within(new Promise(() => {})));
      for (const error of await Promise.all([waiting, later])) {
        expect(error).to.be.instanceOf(ChainUnavailableError);
        expect(error.message).to.equal("The node did not answer in time.");
      }
      expect(limits()).to.deep.equal([4_000]);
    });
  });

  it("tells of every round trip that the node answered, also of a refusal", async () => {
    const { ask, outcomes } = await fixture();
    expect(await ask("eth_blockNumber")).to.equal("0x0");
    expect(await rejection(ask("eth_unheardOf"))).to.include({ refused: true });
    expect(outcomes()).to.deep.equal(["answered", "answered"]);
  });

  it("tells of a round trip to a node that is down, or on another chain, that it failed", async () => {
    const { proxy, ask, outcomes } = await fixture();
    proxy.behaviour = { respond: (response) => response.destroy() };
    expect(await rejection(ask("eth_blockNumber"))).to.be.instanceOf(ChainUnavailableError);
    expect(outcomes()).to.deep.equal(["failed"]);
    const other = await fixture(1);
    expect((await rejection(other.ask("eth_blockNumber"))).message).to.include("The node is on chain 84532");
    expect(other.outcomes()).to.deep.equal(["failed"]);
  });

  it("tells how long a round trip took, in seconds", async () => {
    const { told, ask } = await fixture();
    const started = performance.now();
    await ask("eth_blockNumber");
    const passed = (performance.now() - started) / 1000;
    expect(told[0]?.seconds).to.be.greaterThan(0).and.at.most(passed);
  });
});
